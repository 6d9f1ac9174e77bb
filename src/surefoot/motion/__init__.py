"""The one problem: dynamics and a prescribed set, reduced to contact space and back."""
