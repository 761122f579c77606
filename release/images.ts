/** Builds the container images on this machine and saves them as archives that `docker load` reads. */
import { join } from 'node:path'
import { findBinary } from '../dev-services/find-binary.ts'
import { runCommand } from '../dev-services/run-command.ts'
import type { ImageSource } from './released-compose-file.ts'

export const imageTargets = ['server', 'runner', 'demo']

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
  { prefix, version, revision }: ImageSource & { revision: string },
): Promise<string | undefined> {
  const builder = await findContainerBuilder()
  if ('problem' in builder) return builder.problem
  const labels = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`]
  for (const target of imageTargets) {
    const name = `${prefix}/${target}:${version}`
    const file = join(output, `colophon-${target}-${version}-linux-amd64.tar`)
    const build = ['build', '--platform', 'linux/amd64', '--target', target, '--tag', name, ...labels]
    await runCommand([builder.program, ...build, '--file', 'deploy/Dockerfile', '.'], { cwd: source })
    await runCommand([builder.program, 'save', '--output', file, name])
  }
  return undefined
}
