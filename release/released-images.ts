/** The images of a release: `<prefix>/server`, `<prefix>/runner` and `<prefix>/demo`, with the version as their tag. */
export interface ImageSource {
  prefix: string
  version: string
}

export const imageTargets = ['server', 'runner', 'demo'] as const
export type ImageTarget = (typeof imageTargets)[number]

/** Of the images in the registry, by build target. */
export type ImageDigests = Readonly<Record<ImageTarget, string>>

/** Undefined: the images have not been pushed, so their digests are not known. */
export type ReleasedImages = ImageSource & { digests: ImageDigests | undefined }

/** Reads values like `server=sha256:…`: one for each image, or none. */
export function parseImageDigests(pairs: readonly string[]): ImageDigests | undefined {
  if (pairs.length === 0) return undefined
  const entries = imageTargets.map((target) => {
    const values = pairs.filter((pair) => pair.startsWith(`${target}=`)).map((pair) => pair.slice(target.length + 1))
    if (values.length !== 1 || !/^sha256:[0-9a-f]{64}$/.test(values[0] ?? ''))
      throw new Error(`--image-digest must be given once for ${target}, like ${target}=sha256:<64 hexadecimal digits>.`)
    return [target, values[0]]
  })
  if (pairs.length > imageTargets.length)
    throw new Error(`--image-digest names another image than ${imageTargets.join(', ')}.`)
  return Object.fromEntries(entries) as ImageDigests
}

export const imageRegistry = 'ghcr.io'

/** The name of an image in the registry. `repository` is `owner/name` on GitHub; names of images are in lower case. */
export const imageRepository = (repository: string, target: string): string => `${repository.toLowerCase()}/${target}`
