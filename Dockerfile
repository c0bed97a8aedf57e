# syntax=docker/dockerfile:1
# The image of Inlet: docker build -t inlet .
# Node 24 (supported until April 2028). All native parts come prebuilt for x64 and arm64; glibc, hence Debian.
ARG NODE=24-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without install scripts: no package may run code here, and none of ours needs it.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts

FROM node:${NODE}
LABEL org.opencontainers.image.title="Inlet" \
      org.opencontainers.image.description="The form back-end that you run yourself" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data && chmod 700 /data && ln -s /app/dist/bundle/main.js /usr/local/bin/inlet
# Owned by root: the service cannot change its own program.
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/bundle ./dist/bundle
COPY --from=build /app/dist/client ./dist/client
COPY --from=build /app/dist/web ./dist/web
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Whether the process answers. Whether it can do its work is for /readyz: restarting does not bring a database back.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/bundle/main.js"]
CMD ["serve"]
