/** Kills processes at random with SIGKILL, mostly while they have work in flight, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagedProcess } from '../services/managed-process.ts'

export interface KillTarget {
  /** Kills are counted by kind: two workers are one kind. */
  kind: string
  process: ManagedProcess
  hasWorkInFlight(): boolean | Promise<boolean>
}

export class ProcessKiller {
  readonly kills = new Map<string, number>()
  readonly killsInFlight = new Map<string, number>()
  /** The kinds of processes that ended without being killed. */
  readonly unexpectedExits: string[] = []
  readonly #expectedExits = new Set<ManagedProcess>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  get count(): number {
    return sum(this.kills)
  }

  get inFlightCount(): number {
    return sum(this.killsInFlight)
  }

  async start({ kind, process: managed }: KillTarget): Promise<void> {
    this.#expectedExits.delete(managed)
    await managed.start()
    void managed.ended.then(() => {
      if (!this.#expectedExits.has(managed)) this.unexpectedExits.push(kind)
    })
  }

  /** Kills each target once per round, until stopped. Afterwards all targets run; they are started in the given order. */
  async killInRounds(targets: readonly KillTarget[], pause: () => Promise<void>, stop: AbortSignal): Promise<void> {
    for (let waiting: KillTarget[] = []; ; ) {
      await pause()
      if (waiting.length === 0) waiting = [...targets]
      const killed = await this.#killBusyTarget(waiting, stop)
      if (!killed) break
      waiting = waiting.filter((target) => target !== killed)
      await sleep(this.#random() * 2000)
      await this.#startMissing(targets)
    }
    await this.#startMissing(targets)
  }

  /** A service exits if a service that it needs is killed at the same time, so starting it is retried. */
  async #startMissing(targets: readonly KillTarget[]): Promise<void> {
    for (const target of targets) {
      for (let attempts = 1; target.process.pid === undefined; attempts++) {
        await this.start(target).catch((error: unknown) => {
          this.unexpectedExits.push(target.kind)
          if (attempts === maxStarts) throw error
        })
      }
    }
  }

  /** Kills the first target found with work in flight, or any target if none has work for a while. Undefined: stopped. */
  async #killBusyTarget(targets: readonly KillTarget[], stop: AbortSignal): Promise<KillTarget | undefined> {
    const waitUntilMs = Date.now() + waitForWorkMs
    while (!stop.aborted) {
      const target = targets[Math.floor(this.#random() * targets.length)]
      if (!target) return undefined
      target.process.pause() // so that work in flight now is still in flight when the process dies
      const hasWork = await target.hasWorkInFlight()
      if (hasWork || Date.now() > waitUntilMs) {
        this.#expectedExits.add(target.process)
        await target.process.kill()
        add(this.kills, target.kind)
        if (hasWork) add(this.killsInFlight, target.kind)
        return target
      }
      target.process.resume()
      await sleep(20)
    }
    return undefined
  }
}

const waitForWorkMs = 4_000
const maxStarts = 5

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, kills) => total + kills, 0)
const add = (counts: Map<string, number>, kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
