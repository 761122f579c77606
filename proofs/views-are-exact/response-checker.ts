/** Queries a range through every analytics endpoint and compares the responses with the reference model. */
import type { RetryingClient } from '../../testing/harness/retrying-client.ts'
import type { ViewsProject } from './deliveries.ts'
import type { RangeQuery } from './random-ranges.ts'
import { type Counts, type PathCounts, sumCounts } from './reference-model.ts'
import { pick } from './site-pages.ts'

type Random = () => number

interface ViewsResponse {
  totals: Counts
  views: PathCounts[]
  hasMore: boolean
}

export class ResponseChecker {
  readonly count = { calls: 0, rows: 0 }
  readonly #client: RetryingClient
  readonly #random: Random
  /** Steps of a time series that overlap the run are not compared, because views at receipt have no exact time. */
  readonly #runMs: { from: number; to: number }

  constructor(client: RetryingClient, runMs: { from: number; to: number }, random: Random) {
    this.#client = client
    this.#runMs = runMs
    this.#random = random
  }

  /** A description of the first difference, or undefined. */
  async findDifference(project: ViewsProject, rangeQuery: RangeQuery): Promise<string | undefined> {
    const aiScope = rangeQuery.aiScope ?? project.aiScope
    const expected = project.model.pages(rangeQuery.range, aiScope)
    const totals = sumCounts(expected)
    const difference =
      (await this.#differenceInPages(project, rangeQuery, expected, totals)) ??
      (await this.#differenceInClients(project, rangeQuery)) ??
      (await this.#differenceInTimeseries(project, rangeQuery, totals))
    return (
      difference &&
      `project ${project.id}, ${rangeQuery.query || 'no bounds'}, aiScope ${rangeQuery.aiScope ?? `default (${aiScope})`}: ${difference}`
    )
  }

  /** Every path once, in the specified order, with any page size. */
  async #differenceInPages(
    project: ViewsProject,
    { query, aiScope }: RangeQuery,
    expected: readonly PathCounts[],
    totals: Counts,
  ): Promise<string | undefined> {
    const limit = pick([250, 250, 250, 249, 100, 61], this.#random)
    for (let offset = 0; ; offset += limit) {
      const page = await this.#get<ViewsResponse>(project, 'views', [
        query,
        aiScope && `aiScope=${aiScope}`,
        `limit=${limit}`,
        `offset=${offset}`,
      ])
      if (!sameCounts(page.totals, totals))
        return `totals are ${formatCounts(page.totals)}, expected ${formatCounts(totals)}; ${describeFirstDifference(page.views, expected)}`
      const expectedRows = expected.slice(offset, offset + limit)
      for (const [index, row] of expectedRows.entries()) {
        const actual = page.views[index]
        if (actual?.path === row.path && sameCounts(actual, row)) continue
        return `row ${offset + index} is ${JSON.stringify(actual)}, expected ${JSON.stringify(row)}`
      }
      this.count.rows += expectedRows.length
      if (page.views.length > expectedRows.length)
        return `there is an extra row ${expected.length}: ${JSON.stringify(page.views[expectedRows.length])}`
      if (page.hasMore !== expected.length > offset + limit)
        return `hasMore is ${page.hasMore} after ${offset + limit} of ${expected.length} rows`
      if (!page.hasMore) return undefined
    }
  }

  async #differenceInClients(project: ViewsProject, { query, range }: RangeQuery): Promise<string | undefined> {
    const { clients } = await this.#get<{ clients: { class: string; name: string; views: number }[] }>(
      project,
      'clients',
      [query],
    )
    const expected = project.model.clients(range)
    for (const { class: clientClass, name: client, views } of clients) {
      const name = `${clientClass} ${client}`
      if (expected.get(name) !== views) return `client ${name} has ${views} views, expected ${expected.get(name) ?? 0}`
      expected.delete(name)
    }
    const [missing] = expected
    return missing && `client ${missing[0]} is missing, expected ${missing[1]} views`
  }

  async #differenceInTimeseries(
    project: ViewsProject,
    { query, range, aiScope }: RangeQuery,
    totals: Counts,
  ): Promise<string | undefined> {
    const zone = pick(zones, this.#random)
    const days = ((Number.isFinite(range.toMs) ? range.toMs : Date.now()) - Math.max(range.fromMs, earliestMs)) / dayMs
    const interval = pick(
      intervals.filter((name) => stepsPerDay[name] * (days + 2) < 10_000),
      this.#random,
    )
    const { points } = await this.#get<{ points: ({ at: string } & Counts)[] }>(project, 'views/timeseries', [
      query,
      aiScope && `aiScope=${aiScope}`,
      `interval=${interval}`,
      `timeZone=${encodeURIComponent(zone.name)}`,
    ])
    const sum = sumCounts(points)
    const series = `by ${interval} in ${zone.name}`
    if (!sameCounts(sum, totals)) return `${series} the sum is ${formatCounts(sum)}, expected ${formatCounts(totals)}`
    const { offsetMinutes } = zone
    if (offsetMinutes === undefined) return undefined
    const expectedSteps = project.model.steps(range, aiScope ?? project.aiScope, (ms) =>
      startOfStep(ms, interval, offsetMinutes),
    )
    for (const { at, ...counts } of points) {
      const step = Date.parse(at)
      const isOutsideRun = step > this.#runMs.to || step + maxStepMs[interval] <= this.#runMs.from
      const expected = expectedSteps.get(step) ?? noViews
      if (isOutsideRun && !sameCounts(counts, expected))
        return `${series} ${at} has ${formatCounts(counts)}, expected ${formatCounts(expected)}`
    }
    return undefined
  }

  async #get<Body>({ id, key }: ViewsProject, endpoint: string, query: readonly (string | undefined)[]): Promise<Body> {
    this.count.calls++
    const path = `/v1/analytics/${id}/${endpoint}?${query.filter((part) => part).join('&')}`
    const { status, json } = await this.#client.sendJson({ method: 'GET', path, key })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`)
    return json as Body
  }
}

/** By path, because one wrong count shifts many rows. */
function describeFirstDifference(actual: readonly PathCounts[], expected: readonly PathCounts[]): string {
  const [actualByPath, expectedByPath] = [actual, expected].map((rows) => new Map(rows.map((row) => [row.path, row])))
  const paths = [...actual, ...expected].map(({ path }) => path)
  const differing =
    paths.find((path) => !sameCounts(actualByPath?.get(path) ?? noViews, expectedByPath?.get(path) ?? noViews)) ?? ''
  return `${differing} has ${formatCounts(actualByPath?.get(differing) ?? noViews)}, expected ${formatCounts(expectedByPath?.get(differing) ?? noViews)}`
}

const noViews: Counts = { human: 0, ai: 0, total: 0 }
const sameCounts = (a: Counts, b: Counts) => a.human === b.human && a.ai === b.ai && a.total === b.total
const formatCounts = ({ human, ai, total }: Counts) => `${human} + ${ai} = ${total}`

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const earliestMs = Date.UTC(2020, 0)
const intervals = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const
type Interval = (typeof intervals)[number]
const stepsPerDay: Record<Interval, number> = { quarter_hour: 96, hour: 24, day: 1, week: 1 / 7, month: 1 / 28 }
const maxStepMs: Record<Interval, number> = {
  quarter_hour: 15 * minuteMs,
  hour: 60 * minuteMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 31 * dayMs,
}

/** Zones without daylight saving time are compared step by step, the other by its sum. */
const zones = [
  { name: 'UTC', offsetMinutes: 0 },
  { name: 'Asia/Kathmandu', offsetMinutes: 345 },
  { name: 'America/Phoenix', offsetMinutes: -420 },
  { name: 'Europe/Berlin', offsetMinutes: undefined },
]

function startOfStep(ms: number, interval: Interval, offsetMinutes: number): number {
  const offsetMs = offsetMinutes * minuteMs
  const local = new Date(ms + offsetMs) // its UTC fields are the local time of the zone
  const day = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate())
  switch (interval) {
    case 'quarter_hour':
    case 'hour':
      return Math.floor((ms + offsetMs) / maxStepMs[interval]) * maxStepMs[interval] - offsetMs
    case 'day':
      return day - offsetMs
    case 'week':
      return day - ((local.getUTCDay() + 6) % 7) * dayMs - offsetMs
    case 'month':
      return Date.UTC(local.getUTCFullYear(), local.getUTCMonth()) - offsetMs
  }
}
