/** Builds the container images on this machine and saves them as archives that `docker load` reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from '../dev-services/find-binary.ts'
import { runCommand } from '../dev-services/run-command.ts'
import type { ReleasedImages } from './released-compose-file.ts'

/** Returns why the images cannot be built here, or the program that builds them. */
async function findContainerBuilder(): Promise<{ program: string } | { problem: string }> {
  for (const name of ['docker', 'podman']) {
    const program = findBinary(name)
    const isRunning =
      program &&
      (await runCommand([program, 'info']).then(
        () => true,
        () => false,
      ))
    if (isRunning) return { program }
  }
  return { problem: 'neither Docker nor Podman is running' }
}

/** Returns why there are no images, or undefined. */
export async function buildImages(
  source: string,
  output: string,
  { images, version }: { images: ReleasedImages; version: string },
): Promise<string | undefined> {
  const dockerfile = readFileSync(join(source, 'deploy/Dockerfile'), 'utf8')
  const missing = Object.keys(images).filter((target) => !new RegExp(`^FROM .* AS ${target}$`, 'im').test(dockerfile))
  if (missing.length > 0) return `deploy/Dockerfile has no target ${missing.join(' and ')}`
  const builder = await findContainerBuilder()
  if ('problem' in builder) return builder.problem
  for (const [target, name] of Object.entries(images)) {
    const file = join(output, `colophon-${target}-${version}-linux-amd64.tar`)
    const build = ['build', '--platform', 'linux/amd64', '--target', target, '--tag', name]
    await runCommand([builder.program, ...build, '--file', 'deploy/Dockerfile', '.'], { cwd: source })
    await runCommand([builder.program, 'save', '--output', file, name])
  }
  return undefined
}
