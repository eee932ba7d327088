# The image of a release. GoReleaser builds it of the program it has built and of the certificates of the machine that it
# runs on; nothing else is in it, no shell either.
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" ghcr.io/augmix-go/augmix data info photos
FROM scratch
ARG TARGETPLATFORM
COPY .release/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE NOTICE /usr/share/doc/augmix/
COPY $TARGETPLATFORM/augmix /usr/bin/augmix
WORKDIR /data
ENTRYPOINT ["/usr/bin/augmix"]
