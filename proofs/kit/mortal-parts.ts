/** Kills parts at random with -9, mostly when they have work in flight, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../dev-services/managed-process.ts'

export interface MortalPart {
  /** What it is counted as: two workers are one kind of victim. */
  kind: string
  part: Part
  hasWorkInFlight(): boolean | Promise<boolean>
}

export class Killer {
  readonly kills = new Map<string, number>()
  readonly killsInFlight = new Map<string, number>()
  /** Parts that ended although nobody killed them. */
  readonly endedByThemselves: string[] = []
  readonly #expected = new Set<Part>()
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

  async start({ kind, part }: MortalPart): Promise<void> {
    this.#expected.delete(part)
    await part.start()
    void part.ended.then(() => {
      if (!this.#expected.has(part)) this.endedByThemselves.push(kind)
    })
  }

  /** Each once in a round, until told to stop; then all are up, started in the order given. */
  async killInTurns(victims: readonly MortalPart[], pause: () => Promise<void>, stop: AbortSignal): Promise<void> {
    for (let waiting: MortalPart[] = []; ; ) {
      await pause()
      if (waiting.length === 0) waiting = [...victims]
      const killed = await this.#killBusiest(waiting, stop)
      if (!killed) break
      waiting = waiting.filter((victim) => victim !== killed)
      await sleep(this.#random() * 2000)
      await this.#startMissing(victims)
    }
    await this.#startMissing(victims)
  }

  /** An engine whose own engine is just being killed gives up: it is started until it stays. */
  async #startMissing(parts: readonly MortalPart[]): Promise<void> {
    for (const mortal of parts) {
      for (let tries = 1; mortal.part.pid === undefined; tries++) {
        await this.start(mortal).catch((error: unknown) => {
          this.endedByThemselves.push(mortal.kind)
          if (tries === maxStarts) throw error
        })
      }
    }
  }

  /** The first that is found with work in flight, or anybody when nobody has any. Undefined: it is time to stop. */
  async #killBusiest(victims: readonly MortalPart[], stop: AbortSignal): Promise<MortalPart | undefined> {
    const until = Date.now() + waitForWorkMs
    while (!stop.aborted) {
      const victim = victims[Math.floor(this.#random() * victims.length)]
      if (!victim) return undefined
      victim.part.pause() // so that what is in flight now is in flight when it dies
      const isInFlight = await victim.hasWorkInFlight()
      if (isInFlight || Date.now() > until) {
        this.#expected.add(victim.part)
        await victim.part.kill()
        add(this.kills, victim.kind)
        if (isInFlight) add(this.killsInFlight, victim.kind)
        return victim
      }
      victim.part.resume()
      await sleep(20)
    }
    return undefined
  }
}

const waitForWorkMs = 4_000
const maxStarts = 5

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, kills) => total + kills, 0)
const add = (counts: Map<string, number>, kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
