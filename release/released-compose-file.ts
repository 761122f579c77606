import type { ImageTarget, ReleasedImages } from './released-images.ts'

const ownImage = /(_IMAGE:-)colophon-(server|runner|demo)(\}:\$\{COLOPHON_VERSION:-)local\}/g

/**
 * A compose file with the released images as the default, in place of the ones that are built on the machine. The digest is
 * part of the default version: an administrator who chooses another version must not get the image of this one.
 */
export function releasedComposeFile(compose: string, { prefix, version, digests }: ReleasedImages): string {
  const versionOf = (target: ImageTarget) => (digests ? `${version}@${digests[target]}` : version)
  const result = compose
    .replaceAll(
      ownImage,
      (_, before: string, target: ImageTarget, between: string) =>
        `${before}${prefix}/${target}${between}${versionOf(target)}}`,
    )
    .replaceAll(/^ *build: .*\n/gm, '')
  if (/(image: |:-)colophon-|:-local\}|dockerfile/.test(result))
    throw new Error('A compose file in deploy names an image of Colophon in a way that a release does not replace.')
  return result
}
