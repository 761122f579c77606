/** References to the released images, by the name of their build target. */
export interface ReleasedImages {
  server: string
  runner: string
}

/** compose.yml with the released images in place of the ones that were built on the machine. */
export function releasedComposeFile(compose: string, images: ReleasedImages): string {
  let found = 0
  const result = compose
    .replaceAll(/^(\s*image: )(colophon\S*:local)(.*)$/gm, (_line, key: string, name: string, rest: string) => {
      found += 1
      return `${key}${name.includes('runner') ? images.runner : images.server}${rest}`
    })
    // A local image must not be pulled; a released one must.
    .replaceAll(/^\s*pull_policy: never.*\n/gm, '')
    .replaceAll(/^#.*docker build .*\n/gm, '')
  if (found === 0) throw new Error('deploy/compose.yml does not name the image of Colophon.')
  return result
}
