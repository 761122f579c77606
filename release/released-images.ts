/** The images of a release: `<prefix>/server`, `<prefix>/runner` and `<prefix>/demo`, with the version as their tag. */
export interface ImageSource {
  prefix: string
  version: string
}

export const imageTargets = ['server', 'runner', 'demo'] as const

export const imageRegistry = 'ghcr.io'

/** The name of an image in the registry. `repository` is `owner/name` on GitHub; names of images are in lower case. */
export const imageRepository = (repository: string, target: string): string => `${repository.toLowerCase()}/${target}`
