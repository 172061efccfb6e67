"""The rooms of the package, in the order that docs/design.md shows; users import from the faces beside this folder."""
