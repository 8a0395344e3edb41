# syntax=docker/dockerfile:1

# One image for both services and their commands. It runs the API; the command of the indexer is
# `node --max-semi-space-size=8 --heap-growing-percent=30 services/indexer/src/main.ts`.
FROM node:24-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json ./
# The version of pnpm in package.json.
RUN --mount=type=cache,target=/var/cache/npm npm install --global --cache /var/cache/npm "$(node --print 'require("./package.json").packageManager')"
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/shared/package.json packages/shared/
COPY packages/client/package.json packages/client/
COPY packages/web/package.json packages/web/
COPY services/api/package.json services/api/
COPY services/indexer/package.json services/indexer/
# The store stays out of the image: it is on the cache's file system, so pnpm copies files instead of linking them.
RUN --mount=type=cache,target=/pnpm-store \
    pnpm install --frozen-lockfile --prod --filter '@ugc/api...' --filter '@ugc/indexer...' --store-dir /pnpm-store

# The web pages: the tools that build them stay out of the image.
FROM dependencies AS pages
RUN --mount=type=cache,target=/pnpm-store \
    pnpm install --frozen-lockfile --filter @ugc/web --store-dir /pnpm-store
COPY packages/web packages/web
RUN node packages/web/build/build-pages.ts

FROM base
# docker-compose.yml mounts volumes with secrets here. A new volume gets the owner of the directory that it covers.
RUN install --directory --owner node --group node /var/lib/ugc/jwt /var/lib/ugc/database
COPY --from=dependencies /app ./
# Node.js strips types outside node_modules only, so the workspace keeps its layout: node_modules/@ugc/shared is a link.
# The modes are set because the user below could not read a clone that was created with a strict umask.
COPY --chmod=755 packages/shared packages/shared
COPY --chmod=755 packages/web/build packages/web/build
COPY --chmod=755 --from=pages /app/packages/web/dist packages/web/dist
COPY --chmod=755 services/api services/api
COPY --chmod=755 services/indexer services/indexer
# glibc otherwise has up to eight arenas of memory per core, and each keeps what is freed: docs/measurements.md.
ENV MALLOC_ARENA_MAX=2
USER node
EXPOSE 3000 9464 9465
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATIONS_PORT || 9464}/health/live`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# The options halve the memory under load, to less than 200 MB per process: docs/measurements.md.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "services/api/src/main.ts"]
