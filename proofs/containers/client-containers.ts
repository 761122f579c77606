/**
 * The examples of the API keys page, each in a new container that has nothing but its interpreter: the client is installed from the
 * instance, creates a job, waits for it and reads page views.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContainerRuntime } from '../../testing/services/containers/container-runtime.ts'
import { baseImages } from '../../testing/services/containers/substitute-images.ts'
import { type ApiExample, apiExamples, exampleExtensions } from '../../web/src/keys/examples.ts'
import type { ProofRun } from '../proof.ts'

export interface ClientSettings {
  url: string
  projectId: string
  apiKey: string
}

const image = 'colophon-clients:local'

const dockerfile = `FROM ${baseImages.node}
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates curl python3-venv
USER node
WORKDIR /home/node
`

export async function runClientsInContainers(
  run: ProofRun,
  runtime: ContainerRuntime,
  settings: ClientSettings,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-clients-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'Dockerfile'), dockerfile)
  await runtime.docker(['build', '--tag', image, directory], { env: { DOCKER_BUILDKIT: '1' } })
  for (const example of apiExamples) {
    const { succeeded, output } = await runExample(runtime, example, settings).then(
      (text) => ({ succeeded: true, output: text }),
      (error: Error) => ({ succeeded: false, output: error.message }),
    )
    run.check(
      succeeded && /completed|pull request/i.test(output),
      `the example "${example.language}" of the API keys page runs in a container: ${output.slice(-500)}`,
    )
  }
  run.log(`${apiExamples.length} clients ran in containers`)
}

function runExample(
  runtime: ContainerRuntime,
  { interpreter, renderInstallCommand, text }: ApiExample,
  { url, projectId, apiKey }: ClientSettings,
): Promise<string> {
  const install = renderInstallCommand?.({ origin: url }) ?? 'true'
  const file = `example.${exampleExtensions[interpreter]}`
  const script = `${install} >&2 && printf '%s' "$EXAMPLE" >${file} && ${interpreter} ${file}`
  const env = { COLOPHON_URL: url, COLOPHON_PROJECT_ID: projectId, COLOPHON_API_KEY: apiKey, EXAMPLE: text }
  const variables = Object.keys(env).map((name) => `--env=${name}`)
  // The network of the host, because the port of the instance is published on loopback.
  return runtime.docker(['run', '--rm', '--network=host', ...variables, image, 'bash', '-c', script], { env })
}
