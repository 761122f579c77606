import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ClientDetector } from '../../analytics/classify/client-detector.ts'
import { siftRequests } from '../../analytics/collect/sift-requests.ts'
import type { SourceNote, SourceNotes } from '../../analytics/collect/source-notes.ts'
import type { ViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { KnownSites } from '../../analytics/settings/known-sites.ts'
import type { AnalyticsSettings } from '../../analytics/settings/settings-store.ts'
import { parseJson } from '../../platform/http/json-body.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { NoContent } from '../schemas.ts'

const Beacon = Type.Object(
  {
    key: Type.String({ maxLength: 100, description: "The site's public key, `site_…`." }),
    id: Type.String({
      pattern: '^[\\w-]{1,100}$',
      description: 'Random, of this view: one that comes again is counted once.',
    }),
    path: Type.String({ description: 'Of the page, as `location.pathname` has it.' }),
  },
  {
    additionalProperties: false,
    examples: [{ key: 'site_0123456789abcdef01234567', id: '1787450139-2781893-3127890', path: '/docs/start' }],
  },
)

const compiled = Compile(Beacon)

function readBeacon(bytes: Buffer): Static<typeof Beacon> {
  const beacon = parseJson(bytes)
  if (compiled.Check(beacon)) return beacon
  throw new Problem(
    'invalid_request',
    'Send `{"key":"site_…","id":"…","path":"/…"}`, as text/plain or application/json.',
  )
}

/** As long as those of real browsers: what strangers make up is kept as long as any view. */
const maxUserAgentCharacters = 400

const Header = (description: string) => Type.Optional(Type.String({ description }))

export function collectViewRoute({
  viewBuffer,
  sourceNotes,
  knownSites,
  clientDetector,
}: {
  viewBuffer: ViewBuffer
  sourceNotes: SourceNotes
  knownSites: KnownSites
  clientDetector: ClientDetector
}): Route {
  return route({
    method: 'POST',
    url: '/v1/collect',
    access: 'public',
    takesCrossSite: true,
    name: 'collectView',
    tag: 'Page views',
    summary: 'Tell of a page that a browser shows',
    description:
      'For the script `/colophon.js`, which sends JSON as `text/plain`, because a browser asks no leave for that. ' +
      'Answered with 204 whether the view is counted or not: no page can learn more.',
    schemas: {
      headers: Type.Object({
        origin: Header("The page's own; one of the project's `allowedOrigins` where it has some."),
        dnt: Header('`1`: not counted, where the project obeys it.'),
        'sec-gpc': Header('The same.'),
      }),
      body: Beacon,
      responses: { 204: NoContent },
    },
    reads: {
      maxBytes: 16 * 1024,
      mayBePacked: false,
      forms: { 'application/json': readBeacon, 'text/plain': readBeacon },
    },
    quiet: true,
    refuses: ['insufficient_scope', 'not_found'],
    async handle({ body: { key, id, path }, headers }) {
      const site = await knownSites.find(key)
      if (!site) throw new Problem('not_found', 'There is no such site key, or it was revoked.')
      const { projectId, shard, settings } = site
      const note = (said: Partial<SourceNote>) =>
        sourceNotes.note({ projectId, source: 'script', counted: 0, dropped: {}, examples: [], ...said })
      if (!isSiteOrigin(settings, headers.origin)) {
        note({ dropped: { origin_not_allowed: 1 } })
        throw otherOrigin()
      }
      if (settings.respectDoNotTrack && (headers.dnt === '1' || headers['sec-gpc'] === '1')) {
        note({ dropped: { opted_out: 1 } })
        return respond(204, undefined)
      }

      const { 'user-agent': sentUserAgent = '' } = headers as { 'user-agent'?: string }
      const userAgent = sentUserAgent.slice(0, maxUserAgentCharacters)
      const shown = { path, userAgent, method: 'GET', status: 200, accept: '', prefetch: false, at: new Date() }
      const { views, dropped, examples } = siftRequests([shown], { site, clientDetector, source: 'script' })
      if (views.length > 0) {
        const countsHumans = settings.humanSource === 'script'
        const deliveryId = { text: `script ${id}`, keep: 'a week' } as const
        const delivery = { projectId, shard, source: 'script', countsHumans, deliveryId, views } as const
        if ((await viewBuffer.append(delivery)) === 'repeated') return respond(204, undefined)
      }
      note({ counted: views.length, dropped, examples })
      return respond(204, undefined)
    },
  })
}

/** Whoever is no browser can send what it likes: this keeps out other people's pages, not forgers. */
const isSiteOrigin = ({ allowedOrigins }: AnalyticsSettings, origin: string | undefined): boolean =>
  allowedOrigins.length === 0 || (origin !== undefined && allowedOrigins.includes(origin))

const otherOrigin = () =>
  new Problem('insufficient_scope', "This site key is not for this page's origin: see the project's `allowedOrigins`.")
