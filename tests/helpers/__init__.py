"""Helpers that tests of several folders share: ``from helpers.shell import refused``."""
