"""Everything that draws or words; nothing below knows it."""
