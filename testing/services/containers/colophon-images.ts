/** Builds Colophon's own images, as deploy/Dockerfile describes. */
import { join } from 'node:path'
import type { ContainerRuntime } from './container-runtime.ts'

const checkout = join(import.meta.dirname, '../../..')

export type ColophonImage = 'server' | 'runner' | 'demo'

/** Returns the name of the image. */
export async function buildColophonImage(runtime: ContainerRuntime, target: ColophonImage): Promise<string> {
  const image = `colophon-${target}:local`
  const options = ['--file', 'deploy/Dockerfile', '--target', target, '--tag', image]
  await runtime.docker(['build', '--progress', 'plain', ...options, '.'], {
    cwd: checkout,
    env: { DOCKER_BUILDKIT: '1' },
  })
  return image
}
