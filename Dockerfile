# One image for every service of Fractus; what it runs is its command: `docker run fractus compute-api`.
#
# Targets
#   fractus    (default) builds inside, from the sources and the npm registry
#   prebuilt   takes what `node tools/compose/prepare.mjs --prebuilt` has built and laid out: no internet needed
#
# Works with BuildKit and with the classic builder, which runs every stage up to its target: hence the order of the stages.
ARG BASE_IMAGE=node:20-bookworm-slim
# has what compiles the SQLite binding where no ready-made one can be had
ARG BUILD_IMAGE=node:20-bookworm

FROM ${BASE_IMAGE} AS runtime
ENV NODE_ENV=production
WORKDIR /opt/fractus
# a new volume takes over the owner of the folder that it is mounted on
RUN mkdir -p /var/lib/fractus/agents /var/lib/fractus/identity /var/lib/fractus/images /var/lib/fractus/seed \
 && chown -R node:node /var/lib/fractus \
 && ln -s /opt/fractus/tools/compose/image/fractus /usr/local/bin/fractus
USER node
EXPOSE 5000 8774 8778 9292 9696
ENTRYPOINT ["fractus"]

FROM runtime AS prebuilt
# the pattern: a classic builder passes here on its way to the last stage too, when there is no .compose/app
COPY package.json .compose/app* ./

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node tools/compose/assemble.mjs /out

FROM runtime AS fractus
COPY --from=build /out/ ./
