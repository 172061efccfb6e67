"""Everything that draws or words; no lower room imports it."""
