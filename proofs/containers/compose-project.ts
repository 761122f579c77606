/** A project of Docker Compose, from the files in deploy/. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerRuntime } from '../../testing/services/containers/container-runtime.ts'
import { runCommand } from '../../testing/services/run-command.ts'

const deployDirectory = join(import.meta.dirname, '../../deploy')

export interface RunningContainer {
  service: string
  id: string
  pid: number
  isRootReadOnly: boolean
  usedBytes: number
  limitBytes: number
  /** User IDs of its processes. */
  uids: readonly number[]
}

export class ComposeProject {
  readonly #runtime: ContainerRuntime
  readonly #name: string
  readonly #env: NodeJS.ProcessEnv
  readonly #files: readonly string[]

  constructor(
    runtime: ContainerRuntime,
    { name, files, env }: { name: string; files: readonly string[]; env: NodeJS.ProcessEnv },
  ) {
    this.#runtime = runtime
    this.#name = name
    this.#env = env
    this.#files = files
  }

  run(...args: string[]): Promise<string> {
    return this.#runtime.docker(this.#command(args), { cwd: deployDirectory, env: this.#env })
  }

  #command(args: readonly string[]): string[] {
    return ['compose', '--project-name', this.#name, ...this.#files.flatMap((file) => ['--file', file]), ...args]
  }

  /** A command whose input or output is a file, which need not be text. */
  async runWithFile(redirection: '<' | '>', file: string, ...args: string[]): Promise<void> {
    const shell = ['sh', '-c', `exec "$@" ${redirection} "$FILE"`, 'sh']
    await runCommand([...shell, 'docker', ...this.#command(args)], {
      cwd: deployDirectory,
      env: { ...this.#runtime.env, ...this.#env, FILE: file },
    })
  }

  /** Starts everything and waits until it is healthy. Returns the seconds that it took. */
  async up(): Promise<number> {
    const startedAt = performance.now()
    try {
      await this.run('up', '--detach', '--no-build', '--wait', '--wait-timeout', '240')
    } catch (error) {
      const states = await this.run('ps', '--all', '--format', '{{.Service}}: {{.Status}}')
      const logs = await this.run('logs', '--tail', '15', '--no-color')
      throw new Error(`${(error as Error).message}\n${states}\n${logs.slice(-6000)}`)
    }
    return (performance.now() - startedAt) / 1000
  }

  logs(service: string): Promise<string> {
    return this.run('logs', '--no-color', '--no-log-prefix', service)
  }

  async runningContainers(): Promise<RunningContainer[]> {
    const ids = (await this.run('ps', '--quiet')).trim().split('\n')
    const inspected = JSON.parse(await this.#runtime.docker(['inspect', ...ids])) as InspectedContainer[]
    const memory = await this.readMemory()
    const containers: RunningContainer[] = []
    for (const { Id: id, State: state, Config: config, HostConfig: host } of inspected) {
      const processes = await this.#runtime.docker(['top', id, '-eo', 'pid,uid'])
      const service = config.Labels['com.docker.compose.service'] ?? ''
      containers.push({
        service,
        id,
        pid: state.Pid,
        isRootReadOnly: host.ReadonlyRootfs && isRootMountedReadOnly(state.Pid),
        usedBytes: memory.get(service) ?? 0,
        limitBytes: host.Memory,
        uids: processes
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => Number(line.trim().split(/\s+/)[1])),
      })
    }
    return containers.toSorted((a, b) => a.service.localeCompare(b.service))
  }

  /** Bytes in use by each service. */
  async readMemory(): Promise<Map<string, number>> {
    const services = (await this.run('ps', '--format', '{{.ID}} {{.Service}}')).trim().split('\n')
    const serviceOf = new Map(services.map((line) => line.split(' ') as [string, string]))
    const format = '{{.Container}} {{.MemUsage}}'
    const stats = await this.#runtime.docker(['stats', '--no-stream', '--format', format, ...serviceOf.keys()])
    return new Map(
      stats
        .trim()
        .split('\n')
        .map((line) => {
          const [, id = '', number, unit = 'B'] = /^(\S+) ([\d.]+)(B|KiB|MiB|GiB)/.exec(line) ?? []
          return [serviceOf.get(id) ?? id, Number(number) * 1024 ** ['B', 'KiB', 'MiB', 'GiB'].indexOf(unit)]
        }),
    )
  }

  /** The address of the Docker host on a network: a client on the host has it for the containers. */
  async networkGateway(network: string): Promise<string> {
    const format = '{{(index .IPAM.Config 0).Gateway}}'
    return (await this.#runtime.docker(['network', 'inspect', `${this.#name}_${network}`, '--format', format])).trim()
  }

  /** On all of its networks. */
  async addressesOf(service: string): Promise<string[]> {
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
    const id = (await this.run('ps', '--quiet', service)).trim()
    return (await this.#runtime.docker(['inspect', id, '--format', format])).trim().split(' ')
  }

  /** Kills the first process of a container from outside, as a crash would: `docker kill` would count as a stop by its user. */
  async crash(service: string): Promise<void> {
    const container = (await this.runningContainers()).find((candidate) => candidate.service === service)
    if (!container) throw new Error(`${service} is not running`)
    process.kill(container.pid, 'SIGKILL')
  }

  /** Waits until every container that has a health check is healthy. Returns the seconds that it took. */
  async waitUntilHealthy(withinSeconds: number): Promise<number> {
    const startedAt = performance.now()
    for (;;) {
      const states = (await this.run('ps', '--format', '{{.Service}} {{.State}} {{.Health}}')).trim().split('\n')
      const seconds = (performance.now() - startedAt) / 1000
      const pending = states.filter((state) => !/ running (healthy)?$/.test(state))
      if (pending.length === 0) return seconds
      if (seconds > withinSeconds) throw new Error(`not healthy after ${withinSeconds} s: ${pending.join(', ')}`)
      await sleep(1000)
    }
  }
}

interface InspectedContainer {
  Id: string
  State: { Pid: number }
  Config: { Labels: Record<string, string> }
  HostConfig: { ReadonlyRootfs: boolean; Memory: number }
}

/** What the kernel says, not the runtime. Fields of a line: ID, parent, device, root, mount point, options … */
function isRootMountedReadOnly(pid: number): boolean {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n')
  const options = lines.map((line) => line.split(' ')).find(([, , , , mountPoint]) => mountPoint === '/')?.[5]
  return options?.split(',').includes('ro') ?? false
}
