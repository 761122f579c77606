/** The runner in its container, with the options of deploy/compose.yml, for the services of a proof outside of containers. */
import { join } from 'node:path'
import { buildColophonImage } from '../../testing/services/containers/colophon-images.ts'
import { findOrStartContainerRuntime } from '../../testing/services/containers/container-runtime.ts'
import { ensureBaseImages } from '../../testing/services/containers/substitute-images.ts'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { ProofRun } from '../proof.ts'

interface RunnerService {
  read_only: boolean
  environment: Record<'COLOPHON_RUNNER_MAX_CONCURRENT_TURNS' | 'COLOPHON_RUNNER_CGROUPS', string>
  mem_limit: string
  pids_limit: number
  tmpfs: string[]
  cap_drop: string[]
  security_opt: string[]
}

/** Only the network differs from the compose file: the gateway of a proof is on loopback. */
export async function startContainerRunner(
  run: ProofRun,
  { environment, directory }: { environment: Record<string, string>; directory: string },
): Promise<ManagedProcess> {
  const runtime = await findOrStartContainerRuntime(run.log)
  run.cleanUp(() => runtime.stop())
  await ensureBaseImages(runtime, ['debian', 'node'], run.log)
  run.log('building the image of the runner')
  const image = await buildColophonImage(runtime, 'runner')
  const config = await runtime.docker(['compose', '--file', 'compose.yml', 'config', '--format', 'json'], {
    cwd: join(import.meta.dirname, '../../deploy'),
  })
  const { runner } = (JSON.parse(config) as { services: { runner: RunnerService } }).services
  const port = await freePort()
  const name = `colophon-runner-${port}`
  const settings = {
    ...environment,
    COLOPHON_RUNNER_LISTEN: `127.0.0.1:${port}`,
    COLOPHON_RUNNER_MAX_CONCURRENT_TURNS: runner.environment.COLOPHON_RUNNER_MAX_CONCURRENT_TURNS,
    COLOPHON_RUNNER_CGROUPS: runner.environment.COLOPHON_RUNNER_CGROUPS,
  }
  const options = [
    '--network=host',
    `--read-only=${runner.read_only}`,
    `--memory=${runner.mem_limit}`,
    `--pids-limit=${runner.pids_limit}`,
    ...runner.tmpfs.map((path) => `--tmpfs=${path}`),
    ...runner.cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...runner.security_opt.map((option) => `--security-opt=${option}`),
    ...Object.keys(settings).map((setting) => `--env=${setting}`),
  ]
  const managedProcess = new ManagedProcess({
    name: 'runner',
    command: ['docker', 'run', '--rm', '--name', name, ...options, image],
    env: { ...runtime.env, ...settings },
    logFile: join(directory, 'runner.log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 60,
  })
  run.cleanUp(async () => {
    await runtime.docker(['rm', '--force', name])
    await managedProcess.stop()
  })
  await managedProcess.start()
  return managedProcess
}
