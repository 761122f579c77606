/** `colophon views`: which pages were read, how often, and by whom. */
import { pipeline } from 'node:stream/promises'
import type { ListViewsData, ViewsResult, ViewsTimeseries } from '@colophon/sdk'
import type { Command } from 'commander'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import {
  addInstanceOptions,
  addJsonOption,
  choiceOption,
  type InstanceOptions,
  type JsonOption,
  parseCount,
  withoutUndefined,
} from '../program/command-options.ts'
import { usageError } from '../program/failure.ts'
import { printableLine, toOutput } from '../terminal/printable.ts'
import { formatTable, shorten } from '../terminal/table.ts'
import type { OutputStream } from '../terminal/terminal.ts'
import { formatSparkline } from './sparkline.ts'

interface ViewsOptions extends InstanceOptions, JsonOption {
  from?: string
  to?: string
  limit: number
  path?: string
  search?: string
  aiScope?: NonNullable<ListViewsData['query']>['aiScope']
  csv?: boolean
}

const maxPageSize = 250

export function addViewsCommand(program: Command, context: CommandContext): void {
  const views = program
    .command('views')
    .summary('show page views')
    .description('Shows the pages with the most views by humans and AI, and the views over time.')
    .option('--from <date>', 'start of the range: a date as YYYY-MM-DD, or a date and time; defaults to the first view')
    .option('--to <date>', 'end of the range, exclusive; defaults to now')
    .option('--limit <count>', `maximum number of pages, at most ${maxPageSize}`, parseCount, 20)
    .option('--path <path>', 'only the page with this path')
    .option('--search <text>', 'only pages whose path contains this text')
    .addOption(choiceOption('--ai-scope <scope>', 'which clients count as AI', ['all', 'assistants']))
    .option('--csv', 'print all pages as CSV')
  addJsonOption(addInstanceOptions(views)).action((options: ViewsOptions) => showViews(context, options))
}

async function showViews(context: CommandContext, options: ViewsOptions): Promise<void> {
  const { from, to, limit, path, search, aiScope, csv, json } = options
  if (limit > maxPageSize) throw usageError(`--limit can be at most ${maxPageSize}; --csv prints all pages.`)
  if (csv && (json || path !== undefined || search !== undefined))
    throw usageError('--csv prints all pages, so it cannot be combined with --json, --path or --search.')
  const { client, projectId } = await connect(context, options)
  const project = await projectId()
  const range = withoutUndefined({ dateFrom: from, dateTo: to, aiScope })
  const { out } = context.terminal
  if (csv) {
    await printCsv(await client.views.exportCsv(project, range), out)
    return
  }
  const [list, series] = await Promise.all([
    client.views.list(project, { ...range, ...withoutUndefined({ path, q: search }), limit }),
    client.views.timeseries(project, { ...range, ...withoutUndefined({ path }), interval: 'day' }),
  ])
  if (json) out.printJson({ ...list, timeseries: series })
  else out.print(formatViews(list, series, out))
}

/** Unchanged in a pipe, because a program reads it. */
async function printCsv(csv: ReadableStream<Uint8Array>, out: CommandContext['terminal']['out']): Promise<void> {
  const decoder = new TextDecoder()
  await pipeline(csv, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks)
      await out.writeRaw(
        out.isTerminal ? toOutput(decoder.decode(chunk, { stream: true }), { hasColors: false }) : chunk,
      )
  })
}

const numbersWidth = 30

function formatViews(
  { totals, views, hasMore, coverage }: ViewsResult,
  { points }: ViewsTimeseries,
  { style, columns }: OutputStream,
): string {
  const count = (value: number, kind: 'human' | 'ai') =>
    value === 0 && coverage[kind] === 'not_measured' ? 'not measured' : formatNumber(value)
  const sections = [
    `${formatNumber(totals.total)} views: ${count(totals.human, 'human')} by humans, ${count(totals.ai, 'ai')} by AI`,
  ]
  const first = points.at(0)
  const last = points.at(-1)
  if (first && last && totals.total > 0) {
    const bars = formatSparkline(
      points.map(({ total }) => total),
      Math.max(20, columns - numbersWidth),
    )
    sections.push(`${first.at.slice(0, 10)} ${style.cyan(bars)} ${last.at.slice(0, 10)}`)
  }
  if (views.length > 0)
    sections.push(
      formatTable(
        [
          { title: 'TOTAL', align: 'right' },
          { title: 'HUMAN', align: 'right' },
          { title: 'AI', align: 'right' },
          { title: 'PAGE' },
        ],
        views.map(({ path, human, ai, total }) => [
          { text: formatNumber(total) },
          { text: count(human, 'human') === 'not measured' ? '-' : formatNumber(human), style: style.dim },
          { text: count(ai, 'ai') === 'not measured' ? '-' : formatNumber(ai), style: style.dim },
          { text: shorten(printableLine(path), Math.max(20, columns - numbersWidth)) },
        ]),
      ),
    )
  if (hasMore) sections.push(style.dim('There are more pages: use --limit, or --csv for all of them.'))
  return sections.join('\n\n')
}

const formatNumber = (value: number) => value.toLocaleString('en-US')
