"""What tests of several folders share: ``from helpers.shell import refused``."""
