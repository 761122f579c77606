/** Builds the container images on this machine and saves them as archives that `docker load` reads. */
import { join } from 'node:path'
import { findOrStartContainerRuntime } from '../testing/services/containers/container-runtime.ts'
import { ensureBaseImages } from '../testing/services/containers/substitute-images.ts'
import { type ImageSource, imageTargets } from './released-images.ts'

/** Returns what is missing or different, or undefined. */
export async function buildImages(
  source: string,
  output: string,
  { prefix, version, revision }: ImageSource & { revision: string },
): Promise<string | undefined> {
  const log = (line: string) => console.log(`    ${line}`)
  const runtime = await findOrStartContainerRuntime(log).catch((error: Error) => error)
  if (runtime instanceof Error) return runtime.message
  try {
    const substitutes = await ensureBaseImages(runtime, ['debian', 'node'], log).catch((error: Error) => error)
    if (substitutes instanceof Error) return substitutes.message
    const labels = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`]
    for (const target of imageTargets) {
      const name = `${prefix}/${target}:${version}`
      const file = join(output, `colophon-${target}-${version}-linux-amd64.tar`)
      const options = ['--platform', 'linux/amd64', '--target', target, '--tag', name, ...labels]
      await runtime.docker(['build', '--progress', 'plain', ...options, '--file', 'deploy/Dockerfile', '.'], {
        cwd: source,
        env: { DOCKER_BUILDKIT: '1' },
      })
      await runtime.docker(['save', '--output', file, name])
    }
    return substitutes.length > 0 ? 'made, but on substitutes for the base images, so not for others to use' : undefined
  } finally {
    await runtime.stop()
  }
}
