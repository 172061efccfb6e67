"""Searches as pages."""
