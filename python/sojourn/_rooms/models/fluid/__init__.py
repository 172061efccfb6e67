"""The fluid model of Misra, Gong and Towsley: windows and a queue as differential equations with delay."""
