# syntax=docker/dockerfile:1
# Builds the image of Inlet: docker build -t inlet .
# Node 24 (supported until April 2028). All native parts are prebuilt for x64 and arm64 with glibc, hence Debian 12.
ARG NODE=24-bookworm-slim

# Builds the program and packs it as for npm.
FROM node:${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Without install scripts: no package may run code here, and none of ours needs it.
RUN npm ci --ignore-scripts
COPY . .
# Packing builds it first (prepack).
RUN mkdir /pack && npm pack --pack-destination /pack

# Installs that package. Its dependencies come from the lock file, with their hashes: `npm install` of the tarball alone
# would choose other versions of indirect dependencies.
FROM node:${NODE} AS install
WORKDIR /deps
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# Removes SQLite for other systems, and its source.
RUN find node_modules/@photostructure/sqlite/prebuilds -type f ! -path '*/linux-*glibc.node' -delete
RUN rm -r node_modules/@photostructure/sqlite/src
WORKDIR /app
COPY --from=build /pack /pack
RUN tar -xzf /pack/*.tgz --strip-components=1
WORKDIR /
# Removes what only compilers and debuggers read.
RUN find app deps -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[mc]ts' \) -delete
# Everything the last stage needs from this system: Node, env for the command `inlet`, and Perl, which confines image codecs.
RUN mkdir -p system/usr/local/bin state/data && chmod 700 state/data && ln -s ../../../app/dist/bundle/main.js system/usr/local/bin/inlet
RUN cp --parents --dereference usr/local/bin/node usr/bin/env usr/bin/perl usr/lib/*-linux-gnu/libcrypt.so.1 usr/lib/*-linux-gnu/perl-base/strict.pm system

# The C and C++ libraries of Debian 12: no shell, no package manager. node:24-bookworm-slim would make it 300 MB.
FROM gcr.io/distroless/cc-debian12
LABEL org.opencontainers.image.title="Inlet" \
      org.opencontainers.image.description="The form back-end you host yourself" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/inlet-forms/inlet" \
      org.opencontainers.image.documentation="https://github.com/inlet-forms/inlet/blob/main/docs/guides/going-live.md"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
# Owned by root, so the service cannot change its own program. Ordered from what changes least to what changes with each release.
COPY --from=install /system/ /
COPY --from=install --chown=1000:1000 /state/ /
COPY --from=install /deps/node_modules ./node_modules
COPY --from=install /app/ ./
# By number, so that Kubernetes can check that it is not root (runAsNonRoot).
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Checks that the process responds. /readyz says whether it can work, but a restart would not bring a database back.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/bundle/main.js"]
CMD ["serve"]
