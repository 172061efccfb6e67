"""Formulas, design rules, estimators and fluid models: a file or a folder for each."""
