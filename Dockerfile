# syntax=docker/dockerfile:1

# One image for both services and the commands beside them. It runs the API; `node services/indexer/src/main.ts` is the indexer.
FROM node:24-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json ./
# The pnpm that package.json names.
RUN --mount=type=cache,target=/var/cache/npm npm install --global --cache /var/cache/npm "$(node --print 'require("./package.json").packageManager')"
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/shared/package.json packages/shared/
COPY services/api/package.json services/api/
COPY services/indexer/package.json services/indexer/
# The store is not part of the image: from the cache's file system pnpm copies instead of linking.
RUN --mount=type=cache,target=/pnpm-store \
    pnpm install --frozen-lockfile --prod --filter '@ugc/api...' --filter '@ugc/indexer...' --store-dir /pnpm-store

FROM base
# Where docker-compose.yml mounts its volumes of secrets: a new volume takes the owner of the directory it covers.
RUN install --directory --owner node --group node /var/lib/ugc/jwt /var/lib/ugc/database
COPY --from=dependencies /app ./
# Node.js strips types only outside node_modules, so the workspace keeps its layout: node_modules/@ugc/shared is a link.
# The modes are set because a clone made under a strict umask could not be read by the user below.
COPY --chmod=u=rwX,go=rX packages/shared packages/shared
COPY --chmod=u=rwX,go=rX services/api services/api
COPY --chmod=u=rwX,go=rX services/indexer services/indexer
USER node
EXPOSE 3000 9464 9465
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATIONS_PORT || 9464}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "services/api/src/main.ts"]
