/** Which process uses how much CPU time. On a machine with two cores, this explains most of what one project does to others. */
import { cpuMilliseconds } from '../../testing/harness/cpu-time.ts'
import type { NoisyNeighborFixture } from './fixture.ts'
import type { NoisyProject } from './noisy-project.ts'

export class CpuShares {
  readonly #fixture: NoisyNeighborFixture
  readonly #noise: NoisyProject
  readonly #totals = new Map<string, { quietMs: number; noisyMs: number }>()
  readonly #elapsed = { quietMs: 0, noisyMs: 0 }

  constructor(fixture: NoisyNeighborFixture, noise: NoisyProject) {
    this.#fixture = fixture
    this.#noise = noise
  }

  async during<Result>(isNoisy: boolean, work: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now()
    const before = await this.#read()
    const result = await work()
    const after = await this.#read()
    const column = isNoisy ? 'noisyMs' : 'quietMs'
    this.#elapsed[column] += performance.now() - startedAtMs
    for (const [name, ms] of after) {
      const total = this.#totals.get(name) ?? { quietMs: 0, noisyMs: 0 }
      total[column] += Math.max(0, ms - (before.get(name) ?? 0)) // a runner that was restarted begins with zero
      this.#totals.set(name, total)
    }
    return result
  }

  /** Percent of one core, without and with the noisy project. */
  format(): string {
    const percent = (ms: number, elapsedMs: number) => ((100 * ms) / elapsedMs).toFixed(0)
    return [...this.#totals]
      .map(
        ([name, { quietMs, noisyMs }]) =>
          `${name} ${percent(quietMs, this.#elapsed.quietMs)} → ${percent(noisyMs, this.#elapsed.noisyMs)}`,
      )
      .join(', ')
  }

  async #read(): Promise<Map<string, number>> {
    const { api, worker, runners, services } = this.#fixture
    const { postgres, clickhouse, temporal, gitea } = services.processes
    const processes: [name: string, pid: number | undefined][] = [
      ['api', api.process.pid],
      ['worker', worker.process.pid],
      ['postgres', postgres.pid],
      ['clickhouse', clickhouse.pid],
      ['temporal', temporal.pid],
      ['gitea', gitea.pid],
      ...runners.map(({ process: runner }): [string, number | undefined] => ['runners', runner.pid]),
      ['sender of the noise', this.#noise.process.pid],
    ]
    const times = new Map<string, number>()
    for (const [name, pid] of processes) {
      const ms = pid === undefined ? 0 : await cpuMilliseconds(pid)
      times.set(name, (times.get(name) ?? 0) + ms)
    }
    const { user, system } = process.cpuUsage()
    return times.set('this proof', (user + system) / 1000)
  }
}
