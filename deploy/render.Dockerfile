# Disks on Render belong to root, and Render has no setting for a container's user.
FROM ghcr.io/inlet-forms/inlet:1.0.0
USER 0:0
