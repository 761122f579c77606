/**
 * A list of pages costs pages and months, however many views there are. Each question is put to `api` and, in the best way
 * that we know, straight to ClickHouse: in turn, size after size and round after round, because a machine is never the same
 * twice. On a ClickHouse of its own, which is gone afterwards with its hundred million views.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { shareServices } from '../dev-services/running-services.ts'
import { getClickhouse, startClickhouse } from '../dev-services/start-clickhouse.ts'
import {
  type BareQuery,
  bareQueries,
  firstPage,
  pageLimit,
  type Question,
  questions,
} from './kit/views/bare-queries.ts'
import { otherProjects, pageCount } from './kit/views/made-views.ts'
import { prepareStage, type ViewsStage } from './kit/views/views-stage.ts'
import type { ProofRun } from './proof.ts'

export const promise = "A list of a project's pages costs its pages and months, never its views"

const sizes = { ci: [1e5, 1e6], stated: [1e6, 1e7], full: [1e6, 1e7, 1e8] } as const
const rounds = { ci: 15, stated: 80, full: 80 } as const
const trialRounds = 7

/** Beside the best bare query. Of so few views that ClickHouse has hardly anything to do, only a gross loss is seen. */
const maxRatio = { ci: 2, stated: 1.25, full: 1.25 } as const
/** As long as not every page is read every day, more views are more rows of sums: until ten million. */
const maxGrowth = { ci: 2.5, stated: 2.5, full: 1.5 } as const
const maxFirstPageMs = 500
/** Several sums of a page, as many parts of a table as are not merged yet, and what lies beside them in the same blocks. */
const maxRowsReadPerSum = 3

interface Times {
  stage: ViewsStage
  question: Question
  bare: BareQuery
  bareMs: number[]
  apiMs: number[]
}

export async function prove(run: ProofRun): Promise<void> {
  const stages = await prepareStages(run)
  for (const stage of stages) {
    await checkResponses(run, stage)
    await checkRowsRead(run, stage)
  }

  const all: Times[] = []
  for (const stage of stages) for (const question of questions) all.push(await findBestBare(stage, question))
  run.say('measuring')
  for (let round = 0; round < rounds[run.size]; round++) {
    for (const { stage, question, bare, bareMs, apiMs } of all) {
      const askBare = async () => bareMs.push(await milliseconds(() => stage.askBare(bare)))
      const askApi = async () => apiMs.push(await milliseconds(() => stage.askApi(question)))
      for (const ask of round % 2 === 0 ? [askBare, askApi] : [askApi, askBare]) await ask()
    }
  }
  judge(run, all)
}

async function prepareStages(run: ProofRun): Promise<ViewsStage[]> {
  const { addresses, release } = await shareServices()
  run.cleanUp(release)
  const directory = mkdtempSync(join(tmpdir(), 'colophon-proof-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  const clickhouse = await startClickhouse(await getClickhouse(), join(directory, 'clickhouse'))
  run.cleanUp(() => clickhouse.part.stop())
  const stages: ViewsStage[] = []
  for (const views of sizes[run.size]) {
    run.say(`making ${count(views)} views, and those of ${count(otherProjects)} other projects`)
    const options = { addresses: { ...addresses, clickhouseUrl: clickhouse.url }, directory, views }
    stages.push(await prepareStage(run, options))
  }
  return stages
}

/** A quick answer that is wrong would be no feat. */
async function checkResponses(run: ProofRun, stage: ViewsStage): Promise<void> {
  const { views, askApi } = stage
  const made = await stage.countViews()
  run.check(made === views, `${count(views)} views were made: ${count(made)}`)
  for (const question of questions) {
    const counted = await stage.countPages(question)
    const sum = (key: 'human' | 'ai' | 'total') => counted.reduce((all, row) => all + row[key], 0)
    const expected = {
      totals: { human: sum('human'), ai: sum('ai'), total: sum('total') },
      views: counted.slice(question.offset, question.offset + pageLimit),
      hasMore: counted.length > question.offset + pageLimit,
    }
    const { totals, views: rows, hasMore } = await askApi(question)
    run.check(
      counted.length > question.offset && isDeepStrictEqual({ totals, views: rows, hasMore }, expected),
      `${question.name} of ${count(views)} views is what the views themselves say`,
    )
  }
}

async function checkRowsRead(run: ProofRun, { views, rowsReadFor }: ViewsStage): Promise<void> {
  const read = await rowsReadFor(questions)
  for (const [index, { name, sumsOfPage }] of questions.entries()) {
    const rows = read[index] ?? 0
    const most = maxRowsReadPerSum * pageCount * sumsOfPage
    const about = `${name} of ${count(views)} views: rows read`
    run.check(rows > 0 && rows <= most, `${about}: at most ${count(most)}: ${count(rows)}`)
    run.figure(about, `${count(rows)} (at most ${count(most)})`)
  }
}

async function findBestBare(stage: ViewsStage, question: Question): Promise<Times> {
  const ways = bareQueries(question, stage.projectId).map((bare) => ({ bare, times: [] as number[] }))
  for (let round = 0; round < trialRounds; round++) {
    for (const { bare, times } of ways) times.push(await milliseconds(() => stage.askBare(bare)))
  }
  const [best] = ways.toSorted((one, other) => quantile(one.times, 0.5) - quantile(other.times, 0.5))
  if (!best) throw new Error('there is a bare query')
  return { stage, question, bare: best.bare, bareMs: [], apiMs: [] }
}

function judge(run: ProofRun, all: readonly Times[]): void {
  for (const { stage, question, bare, bareMs, apiMs } of all) {
    const about = `${count(stage.views)} views, ${question.name}`
    // Round by round: what else the machine does at a time slows down both.
    const ratio = quantile(
      apiMs.map((ms, round) => ms / (bareMs[round] ?? Number.NaN)),
      0.5,
    )
    const most = maxRatio[run.size]
    run.check(ratio <= most, `${about}: at most ${most} times a bare query: ${ratio.toFixed(2)}`)
    const both = (times: readonly number[]) =>
      `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`
    run.figure(about, `${both(apiMs)}; bare ${both(bareMs)} (${bare.way}); ${ratio.toFixed(2)} times`)
    if (question === firstPage) {
      const p95 = quantile(apiMs, 0.95)
      run.check(p95 < maxFirstPageMs, `${about}: within ${maxFirstPageMs} ms: ${p95.toFixed(0)}`)
    }
  }
  const [before, largest] = sizes[run.size].slice(-2)
  for (const question of questions) {
    const [few, many] = [before, largest].map((views) => {
      const times = all.find((one) => one.question === question && one.stage.views === views)
      return quantile(times?.apiMs ?? [], 0.5)
    })
    const growth = (many ?? Number.NaN) / (few ?? Number.NaN)
    const about = `${question.name}, ${count(largest ?? 0)} views beside ${count(before ?? 0)}`
    run.check(growth <= maxGrowth[run.size], `${about}: at most ${maxGrowth[run.size]} times: ${growth.toFixed(2)}`)
    run.figure(about, `${growth.toFixed(2)} times`)
  }
}

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((one, other) => one - other)[Math.min(Math.floor(values.length * part), values.length - 1)] ??
  Number.NaN

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const count = (number: number) => number.toLocaleString('en')
