# A disk on Render belongs to root, and Render has no setting for the user of a container.
FROM ghcr.io/inlet-forms/inlet:1.0.0
USER 0:0
