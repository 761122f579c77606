/** Page views: how often people and AI clients read the pages of the site. */
import { z } from 'zod'
import { defineTool, notice, type Tool, type ToolContext } from '../tool.ts'

const dateFields = {
  dateFrom: z
    .string()
    .max(40)
    .optional()
    .describe(
      'Start of the range, inclusive: a date as YYYY-MM-DD or an ISO 8601 date-time, in UTC unless it says otherwise. Defaults to the first view.',
    ),
  dateTo: z.string().max(40).optional().describe('End of the range, exclusive, in the same format. Defaults to now.'),
}

const aiScope = z
  .enum(['all', 'assistants'])
  .optional()
  .describe(
    'Which clients count as AI: all, or only assistants, which read on behalf of a person. Defaults to the setting of the project.',
  )

const counts = {
  human: z.int().describe('Views by people.'),
  ai: z.int().describe('Views by AI clients.'),
  total: z.int().describe('Sum of human and ai. Search engines and other bots are not included.'),
}

const coverage = z
  .object({ human: z.string(), ai: z.string() })
  .describe(
    'Whether each kind of view was measured. If one is not_measured, no source could have seen it in this range, and a count of 0 says nothing.',
  )

const readPageViews = defineTool({
  name: 'read_page_views',
  title: 'Read page views',
  description:
    'Counts of page views by people and by AI clients in any range: totals, and the pages with the most views. Counts are exact.',
  scopes: ['analytics:read'],
  effect: 'reads',
  input: z.strictObject({
    ...dateFields,
    path: z.string().max(1024).optional().describe('Only the page with this path, for example /docs/install.'),
    contains: z.string().min(1).max(200).optional().describe('Only pages whose path contains this text.'),
    limit: z.int().min(1).max(100).default(25).describe('Maximum number of pages.'),
    offset: z.int().min(0).default(0).describe('Number of pages to skip: nextOffset of the previous result.'),
    aiScope,
  }),
  output: z.object({
    totals: z.object(counts).describe('Sums over all matching pages, not only over those in this result.'),
    pages: z.array(z.object({ path: z.string(), ...counts })).describe('By total, highest first.'),
    nextOffset: z.int().nullable().describe('offset for the next pages. Null if there are no more.'),
    coverage,
    notice,
  }),
  async run({ contains, limit, offset, ...query }, { client, projectId, signal }) {
    const result = await client.views.list(
      projectId,
      { ...withoutUndefined(query), ...(contains !== undefined && { q: contains }), limit, offset },
      { signal },
    )
    const { totals, views, hasMore } = result
    return { totals, pages: views, nextOffset: hasMore ? offset + views.length : null, coverage: result.coverage }
  },
})

/** The largest page of the list that the API returns. */
const listedPagesPerRequest = 250
/** Of a site with more pages that AI clients read so often, the result is not complete, and says so. */
const maxRequests = 100

const findPagesReadByAi = defineTool({
  name: 'find_pages_read_by_ai',
  title: 'Find pages that AI reads and people do not',
  description:
    'Ranks the pages that AI clients read much more often than people do, by the share of AI views. All pages of the site with at least minAiViews views are compared, not only the most popular ones.',
  scopes: ['analytics:read'],
  effect: 'reads',
  input: z.strictObject({
    ...dateFields,
    minAiViews: z
      .int()
      .min(1)
      .default(10)
      .describe('Only pages with at least this many AI views: the shares of fewer are chance.'),
    minAiShare: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe('Only pages of whose views at least this share is by AI: 0.8 is four of five.'),
    limit: z.int().min(1).max(100).default(25).describe('Maximum number of pages.'),
    offset: z.int().min(0).default(0).describe('Number of ranked pages to skip: nextOffset of the previous result.'),
    aiScope,
  }),
  output: z.object({
    pages: z
      .array(z.object({ path: z.string(), ...counts, aiShare: z.number() }))
      .describe('By aiShare, highest first, then by AI views.'),
    matchingPages: z.int().describe('Number of all pages that match, also of those that are not in this result.'),
    comparedPages: z.int().describe('Number of pages with at least minAiViews views in all.'),
    isComplete: z
      .boolean()
      .describe('False if the site has too many pages to compare them all: use a higher minAiViews.'),
    dateTo: z
      .string()
      .describe('End of the range. Pass it with nextOffset, so that new views do not change the ranking.'),
    nextOffset: z.int().nullable().describe('offset for the next pages. Null if there are no more.'),
    coverage,
    notice,
  }),
  async run({ minAiViews, minAiShare, limit, offset, ...query }, context) {
    // With an end in the past, the order of the pages does not change from one request to the next.
    const dateTo = query.dateTo ?? new Date().toISOString()
    const { pages, isComplete, coverage } = await readPagesWithViews(context, { ...query, dateTo }, minAiViews)
    const ranked = pages
      .map((page) => ({ ...page, aiShare: page.ai / page.total }))
      .filter(({ ai, aiShare }) => ai >= minAiViews && aiShare >= minAiShare)
      .toSorted((a, b) => b.aiShare - a.aiShare || b.ai - a.ai || (a.path < b.path ? -1 : 1))
    const end = offset + limit
    return {
      pages: ranked.slice(offset, end),
      matchingPages: ranked.length,
      comparedPages: pages.length,
      isComplete,
      dateTo,
      nextOffset: end < ranked.length ? end : null,
      coverage,
    }
  },
})

/** Pages are listed by their views, highest first, so it ends at the first page with fewer. */
async function readPagesWithViews(
  { client, projectId, signal, reportProgress }: ToolContext,
  query: { dateFrom?: string | undefined; dateTo: string; aiScope?: 'all' | 'assistants' | undefined },
  minViews: number,
) {
  const pages: { path: string; human: number; ai: number; total: number }[] = []
  for (let requests = 1; ; requests++) {
    const { views, hasMore, coverage } = await client.views.list(
      projectId,
      { ...withoutUndefined(query), limit: listedPagesPerRequest, offset: pages.length },
      { signal },
    )
    const withViews = views.filter(({ total }) => total >= minViews)
    pages.push(...withViews)
    const isComplete = !hasMore || withViews.length < views.length
    if (isComplete || requests === maxRequests) return { pages, isComplete, coverage }
    await reportProgress(`${pages.length} pages compared`)
  }
}

const maxPoints = 400

const viewTimeSeries = defineTool({
  name: 'view_time_series',
  title: 'Read page views over time',
  description: `Counts of page views by people and by AI clients for each hour, day, week or month of a range, of the whole site or of one page. At most ${maxPoints} intervals per call.`,
  scopes: ['analytics:read'],
  effect: 'reads',
  input: z.strictObject({
    ...dateFields,
    interval: z.enum(['hour', 'day', 'week', 'month']).default('day'),
    timeZone: z
      .string()
      .max(64)
      .default('UTC')
      .describe('Where days begin: a name of the IANA database, for example Europe/Berlin.'),
    path: z.string().max(1024).optional().describe('Only the page with this path, for example /docs/install.'),
    aiScope,
  }),
  output: z.object({
    interval: z.string(),
    timeZone: z.string(),
    points: z.array(z.object({ at: z.string(), ...counts })).describe('Oldest first, without gaps.'),
    nextDateFrom: z.string().nullable().describe('dateFrom for the rest of the range. Null if this is all of it.'),
    coverage,
  }),
  async run(query, { client, projectId, signal }) {
    const { interval, timeZone, points, coverage } = await client.views.timeseries(projectId, withoutUndefined(query), {
      signal,
    })
    return {
      interval,
      timeZone,
      points: points.slice(0, maxPoints),
      nextDateFrom: points[maxPoints]?.at ?? null,
      coverage,
    }
  },
})

export const pageViewTools: readonly Tool[] = [readPageViews, findPagesReadByAi, viewTimeSeries]

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The client's types distinguish a field that is missing from one that is undefined. */
const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
