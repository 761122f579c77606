import type { ImageSource } from './released-images.ts'

/** A compose file with the released images as the default, in place of the ones that are built on the machine. */
export function releasedComposeFile(compose: string, { prefix, version }: ImageSource): string {
  const result = compose
    .replaceAll(/(_IMAGE:-)colophon-(server|runner|demo)\}/g, `$1${prefix}/$2}`)
    .replaceAll('COLOPHON_VERSION:-local}', `COLOPHON_VERSION:-${version}}`)
    .replaceAll(/^ *build: .*\n/gm, '')
  if (/(image: |:-)colophon-|:-local\}|dockerfile/.test(result))
    throw new Error('A compose file in deploy names an image of Colophon in a way that a release does not replace.')
  return result
}
