# The program with its web board, for any 64-bit x86 processor since 2009.
#
#   docker build --tag tabiya .
#   docker run --interactive --rm tabiya              # UCI
#   docker run --rm tabiya analyse --time 5
#   docker run --rm --publish 127.0.0.1:8571:8571 tabiya serve --bind 0.0.0.0 --allow-remote --no-open
#
# `scripts/check-container` does the same steps without Docker.

FROM node:20-bookworm-slim AS page
WORKDIR /tabiya/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm install --no-save --no-audit --no-fund
COPY web ./
RUN npm run build

FROM rust:1.95-slim-bookworm AS program
WORKDIR /tabiya
RUN apt-get update && apt-get install --yes --no-install-recommends make && rm -rf /var/lib/apt/lists/*
COPY . .
COPY --from=page /tabiya/web/dist web/dist
RUN make portable EXE=tabiya-portable

FROM debian:bookworm-slim
RUN useradd --system --no-create-home --shell /usr/sbin/nologin tabiya \
    && mkdir /games && chown tabiya /games
COPY --from=program /tabiya/tabiya-portable /usr/local/bin/tabiya
COPY LICENSE /usr/share/doc/tabiya/LICENSE
USER tabiya
# Files that commands read and write.
VOLUME /games
WORKDIR /games
EXPOSE 8571
HEALTHCHECK NONE
ENTRYPOINT ["tabiya"]
