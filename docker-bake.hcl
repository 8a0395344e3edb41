# The images of a release, one for both services and their commands, and one for the local embedding service: see
# "Releases" in docs/operating.md.

variable "UGC_IMAGE" {
  description = "Name of the image, without a tag; with the registry if it is pushed."
  default     = "ugc-service"
}

variable "VERSION" {
  description = "The version in package.json."
  default     = "dev"
}

variable "REVISION" {
  description = "The commit."
  default     = ""
}

group "default" {
  targets = ["service", "embedder"]
}

target "service" {
  context   = "."
  platforms = ["linux/amd64", "linux/arm64"]
  tags      = ["${UGC_IMAGE}:${VERSION}"]
  labels = {
    "org.opencontainers.image.title"       = "ugc-service"
    "org.opencontainers.image.description" = "API, indexer and commands of the service"
    "org.opencontainers.image.version"     = VERSION
    "org.opencontainers.image.revision"    = REVISION
  }
  attest = ["type=sbom", "type=provenance,mode=max"]
}

target "embedder" {
  inherits = ["service"]
  target   = "embedder"
  tags     = ["${UGC_IMAGE}:${VERSION}-embedder"]
  labels = {
    "org.opencontainers.image.title"       = "ugc-service-embedder"
    "org.opencontainers.image.description" = "the local embedding service"
  }
}
