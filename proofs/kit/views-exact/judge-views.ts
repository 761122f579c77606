/** Asks the service about a range in every way there is, and holds the answers against the model. */
import type { PatientClient } from '../patient-client.ts'
import type { ExactProject } from './deliveries.ts'
import type { AskedRange } from './random-ranges.ts'
import { pick } from './site-pages.ts'
import { type Counts, type PathCounts, sumOf } from './view-model.ts'

type Random = () => number

interface ViewsResponse {
  totals: Counts
  views: PathCounts[]
  hasMore: boolean
}

export class Judge {
  readonly count = { calls: 0, rows: 0 }
  readonly #client: PatientClient
  readonly #random: Random
  /** Steps of a series that touch this time cannot be told apart. */
  readonly #runMs: { from: number; to: number }

  constructor(client: PatientClient, runMs: { from: number; to: number }, random: Random) {
    this.#client = client
    this.#runMs = runMs
    this.#random = random
  }

  /** The first difference, in words; undefined where there is none. */
  async differenceIn(project: ExactProject, asked: AskedRange): Promise<string | undefined> {
    const ai = asked.ai ?? project.ai
    const due = project.model.pages(asked.range, ai)
    const totals = sumOf(due)
    const found =
      (await this.#inPages(project, asked, due, totals)) ??
      (await this.#inReaders(project, asked)) ??
      (await this.#inTimeseries(project, asked, totals))
    return (
      found && `project ${project.id}, ${asked.query || 'no bounds'}, ai ${asked.ai ?? `as it is (${ai})`}: ${found}`
    )
  }

  /** Every path once, in the order of the contract, whatever the size of a page. */
  async #inPages(
    project: ExactProject,
    { query, ai }: AskedRange,
    due: readonly PathCounts[],
    totals: Counts,
  ): Promise<string | undefined> {
    const limit = pick([250, 250, 250, 249, 100, 61], this.#random)
    for (let offset = 0; ; offset += limit) {
      const page = await this.#ask<ViewsResponse>(project, 'views', [
        query,
        ai && `aiScope=${ai}`,
        `limit=${limit}`,
        `offset=${offset}`,
      ])
      if (!sameCounts(page.totals, totals))
        return `totals are ${words(page.totals)}, due ${words(totals)}; ${firstWrong(page.views, due)}`
      const expected = due.slice(offset, offset + limit)
      for (const [index, row] of expected.entries()) {
        const answered = page.views[index]
        if (answered?.path === row.path && sameCounts(answered, row)) continue
        return `row ${offset + index} is ${JSON.stringify(answered)}, due ${JSON.stringify(row)}`
      }
      this.count.rows += expected.length
      if (page.views.length > expected.length)
        return `row ${due.length} is too many: ${JSON.stringify(page.views[expected.length])}`
      if (page.hasMore !== due.length > offset + limit)
        return `hasMore is ${page.hasMore} after ${offset + limit} of ${due.length}`
      if (!page.hasMore) return undefined
    }
  }

  async #inReaders(project: ExactProject, { query, range }: AskedRange): Promise<string | undefined> {
    const { clients } = await this.#ask<{ clients: { class: string; name: string; views: number }[] }>(
      project,
      'clients',
      [query],
    )
    const due = project.model.readers(range)
    for (const { class: clientClass, name: client, views } of clients) {
      const name = `${clientClass} ${client}`
      if (due.get(name) !== views) return `client ${name} has ${views}, due ${due.get(name) ?? 0}`
      due.delete(name)
    }
    const [missing] = due
    return missing && `client ${missing[0]} is missing, due ${missing[1]}`
  }

  async #inTimeseries(
    project: ExactProject,
    { query, range, ai }: AskedRange,
    totals: Counts,
  ): Promise<string | undefined> {
    const zone = pick(zones, this.#random)
    const days = ((Number.isFinite(range.toMs) ? range.toMs : Date.now()) - Math.max(range.fromMs, longAgoMs)) / dayMs
    const interval = pick(
      intervals.filter((name) => stepsADay[name] * (days + 2) < 10_000),
      this.#random,
    )
    const { points } = await this.#ask<{ points: ({ at: string } & Counts)[] }>(project, 'views/timeseries', [
      query,
      ai && `aiScope=${ai}`,
      `interval=${interval}`,
      `timeZone=${encodeURIComponent(zone.name)}`,
    ])
    const sum = sumOf(points)
    const where = `by ${interval} in ${zone.name}`
    if (!sameCounts(sum, totals)) return `${where} the sum is ${words(sum)}, due ${words(totals)}`
    const { offsetMinutes } = zone
    if (offsetMinutes === undefined) return undefined
    const due = project.model.steps(range, ai ?? project.ai, (ms) => beginningOf(ms, interval, offsetMinutes))
    for (const { at, ...counts } of points) {
      const step = Date.parse(at)
      const isApart = step > this.#runMs.to || step + maxStepMs[interval] <= this.#runMs.from
      const expected = due.get(step) ?? nothing
      if (isApart && !sameCounts(counts, expected)) return `${where} ${at} has ${words(counts)}, due ${words(expected)}`
    }
    return undefined
  }

  async #ask<Answer>({ id, key }: ExactProject, what: string, query: readonly (string | undefined)[]): Promise<Answer> {
    this.count.calls++
    const path = `/v1/analytics/${id}/${what}?${query.filter((part) => part).join('&')}`
    const { status, json } = await this.#client.ask({ method: 'GET', path, key })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`)
    return json as Answer
  }
}

/** By path, as one wrong count moves many rows. */
function firstWrong(answered: readonly PathCounts[], due: readonly PathCounts[]): string {
  const [responsesOf, dueOf] = [answered, due].map((rows) => new Map(rows.map((row) => [row.path, row])))
  const paths = [...answered, ...due].map(({ path }) => path)
  const wrong = paths.find((path) => !sameCounts(responsesOf?.get(path) ?? nothing, dueOf?.get(path) ?? nothing)) ?? ''
  return `${wrong} has ${words(responsesOf?.get(wrong) ?? nothing)}, due ${words(dueOf?.get(wrong) ?? nothing)}`
}

const nothing: Counts = { human: 0, ai: 0, total: 0 }
const sameCounts = (a: Counts, b: Counts) => a.human === b.human && a.ai === b.ai && a.total === b.total
const words = ({ human, ai, total }: Counts) => `${human} + ${ai} = ${total}`

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const longAgoMs = Date.UTC(2020, 0)
const intervals = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const
type Interval = (typeof intervals)[number]
const stepsADay: Record<Interval, number> = { quarter_hour: 96, hour: 24, day: 1, week: 1 / 7, month: 1 / 28 }
const maxStepMs: Record<Interval, number> = {
  quarter_hour: 15 * minuteMs,
  hour: 60 * minuteMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 31 * dayMs,
}

/** Step by step where the clocks never change; of a zone where they do, the sum. */
const zones = [
  { name: 'UTC', offsetMinutes: 0 },
  { name: 'Asia/Kathmandu', offsetMinutes: 345 },
  { name: 'America/Phoenix', offsetMinutes: -420 },
  { name: 'Europe/Berlin', offsetMinutes: undefined },
]

function beginningOf(ms: number, interval: Interval, offsetMinutes: number): number {
  const offsetMs = offsetMinutes * minuteMs
  const there = new Date(ms + offsetMs) // its UTC is the zone's clock
  const day = Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate())
  switch (interval) {
    case 'quarter_hour':
    case 'hour':
      return Math.floor((ms + offsetMs) / maxStepMs[interval]) * maxStepMs[interval] - offsetMs
    case 'day':
      return day - offsetMs
    case 'week':
      return day - ((there.getUTCDay() + 6) % 7) * dayMs - offsetMs
    case 'month':
      return Date.UTC(there.getUTCFullYear(), there.getUTCMonth()) - offsetMs
  }
}
