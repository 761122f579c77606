import { isDeepStrictEqual } from 'node:util'
import { useOwnClickhouse } from '../testing/harness/colophon.ts'
import type { ProofRun } from './proof.ts'
import {
  type BaselineQuery,
  baselineQueries,
  fullYearFirstPageQuery,
  pageLimit,
  type ViewsQuery,
  viewsQueries,
} from './view-query-scale/baseline-queries.ts'
import { createViewsFixture, type ViewsFixture } from './view-query-scale/fixture.ts'
import { otherProjectCount, pageCount } from './view-query-scale/insert-views.ts'

export const guarantee = 'The cost of a page list grows with pages and months, not with views'

const sizes = { ci: [1e5, 1e6], stated: [1e6, 1e7], full: [1e6, 1e7, 1e8] } as const
const rounds = { ci: 15, stated: 80, full: 80 } as const
const trialRounds = 7

/** Relative to the fastest direct query. With few views, ClickHouse has little to do, and only a gross regression shows. */
const maxRatio = { ci: 2, stated: 1.25, full: 1.25 } as const
/** Until every page has views every day (at about ten million views), more views also mean more aggregate rows. */
const maxGrowth = { ci: 2.5, stated: 2.5, full: 1.5 } as const
const maxFirstPageMs = 500
/** Allows for parts that are not merged yet, and for neighboring rows in the same granules. */
const maxRowsReadPerAggregate = 3

interface Measurement {
  fixture: ViewsFixture
  query: ViewsQuery
  baseline: BaselineQuery
  baselineMs: number[]
  apiMs: number[]
}

export async function prove(run: ProofRun): Promise<void> {
  const fixtures = await createFixtures(run)
  for (const fixture of fixtures) {
    await checkResponses(run, fixture)
    await checkRowsRead(run, fixture)
  }

  const all: Measurement[] = []
  for (const fixture of fixtures) for (const query of viewsQueries) all.push(await findFastestBaseline(fixture, query))
  run.log('measuring')
  for (let round = 0; round < rounds[run.size]; round++) {
    for (const { fixture, query, baseline, baselineMs, apiMs } of all) {
      const queryDirectly = async () => baselineMs.push(await milliseconds(() => fixture.queryClickhouse(baseline)))
      const queryThroughApi = async () => apiMs.push(await milliseconds(() => fixture.queryApi(query)))
      for (const measure of round % 2 === 0 ? [queryDirectly, queryThroughApi] : [queryThroughApi, queryDirectly])
        await measure()
    }
  }
  checkMeasurements(run, all)
}

async function createFixtures(run: ProofRun): Promise<ViewsFixture[]> {
  const addresses = await useOwnClickhouse(run)
  const fixtures: ViewsFixture[] = []
  for (const views of sizes[run.size]) {
    run.log(`inserting ${count(views)} views, and those of ${count(otherProjectCount)} other projects`)
    fixtures.push(await createViewsFixture(run, addresses, views))
  }
  return fixtures
}

/** Checks that the responses are right, not only fast. */
async function checkResponses(run: ProofRun, fixture: ViewsFixture): Promise<void> {
  const { views, queryApi } = fixture
  const insertedViews = await fixture.countViews()
  run.check(insertedViews === views, `${count(views)} views are inserted: ${count(insertedViews)}`)
  for (const query of viewsQueries) {
    const counted = await fixture.countPages(query)
    const sum = (key: 'human' | 'ai' | 'total') => counted.reduce((all, row) => all + row[key], 0)
    const expected = {
      totals: { human: sum('human'), ai: sum('ai'), total: sum('total') },
      views: counted.slice(query.offset, query.offset + pageLimit),
      hasMore: counted.length > query.offset + pageLimit,
    }
    const { totals, views: rows, hasMore } = await queryApi(query)
    run.check(
      counted.length > query.offset && isDeepStrictEqual({ totals, views: rows, hasMore }, expected),
      `${query.name} of ${count(views)} views matches a count of the single views`,
    )
  }
}

async function checkRowsRead(run: ProofRun, { views, rowsReadFor }: ViewsFixture): Promise<void> {
  const read = await rowsReadFor(viewsQueries)
  for (const [index, { name, maxRowsPerPage }] of viewsQueries.entries()) {
    const rows = read[index] ?? 0
    const limit = maxRowsReadPerAggregate * pageCount * maxRowsPerPage
    const label = `${name} of ${count(views)} views: rows read`
    run.check(rows > 0 && rows <= limit, `${label}, at most ${count(limit)}: ${count(rows)}`)
    run.figure(label, `${count(rows)} (limit ${count(limit)})`)
  }
}

async function findFastestBaseline(fixture: ViewsFixture, query: ViewsQuery): Promise<Measurement> {
  const candidates = baselineQueries(query, fixture.projectId).map((baseline) => ({ baseline, times: [] as number[] }))
  for (let round = 0; round < trialRounds; round++) {
    for (const { baseline, times } of candidates)
      times.push(await milliseconds(() => fixture.queryClickhouse(baseline)))
  }
  const [fastest] = candidates.toSorted((a, b) => quantile(a.times, 0.5) - quantile(b.times, 0.5))
  if (!fastest) throw new Error(`there is no direct query for ${query.name}`)
  return { fixture, query, baseline: fastest.baseline, baselineMs: [], apiMs: [] }
}

function checkMeasurements(run: ProofRun, all: readonly Measurement[]): void {
  for (const { fixture, query, baseline, baselineMs, apiMs } of all) {
    const label = `${query.name} of ${count(fixture.views)} views`
    // Compared round by round, because other load on the machine slows down both.
    const ratio = quantile(
      apiMs.map((ms, round) => ms / (baselineMs[round] ?? Number.NaN)),
      0.5,
    )
    const limit = maxRatio[run.size]
    run.check(ratio <= limit, `${label}: at most ${limit} times as long as a direct query: ${ratio.toFixed(2)}`)
    const formatQuantiles = (times: readonly number[]) =>
      `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`
    run.figure(
      label,
      `API ${formatQuantiles(apiMs)}; direct query ${formatQuantiles(baselineMs)} (${baseline.variant}); ratio ${ratio.toFixed(2)}×`,
    )
    if (query === fullYearFirstPageQuery) {
      const p95 = quantile(apiMs, 0.95)
      run.check(p95 < maxFirstPageMs, `${label}: p95 below ${maxFirstPageMs} ms: ${p95.toFixed(0)} ms`)
    }
  }
  const [smaller, largest] = sizes[run.size].slice(-2)
  for (const query of viewsQueries) {
    const [few, many] = [smaller, largest].map((views) => {
      const times = all.find((measurement) => measurement.query === query && measurement.fixture.views === views)
      return quantile(times?.apiMs ?? [], 0.5)
    })
    const growth = (many ?? Number.NaN) / (few ?? Number.NaN)
    const label = `${query.name}: time with ${count(largest ?? 0)} views relative to ${count(smaller ?? 0)}`
    run.check(growth <= maxGrowth[run.size], `${label}, at most ${maxGrowth[run.size]}×: ${growth.toFixed(2)}×`)
    run.figure(label, `${growth.toFixed(2)}×`)
  }
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)] ?? Number.NaN

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const count = (number: number) => number.toLocaleString('en')
