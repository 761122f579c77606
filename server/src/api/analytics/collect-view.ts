import { isIP } from 'node:net'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ClientDetector } from '../../analytics/classify/client-detector.ts'
import type { BeaconLimiter } from '../../analytics/collect/beacon-limiter.ts'
import { classifyRequests } from '../../analytics/collect/classify-requests.ts'
import type { IngestOutcome, SourceActivityRecorder } from '../../analytics/collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { AnalyticsSettings } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createAddressClassifier } from '../../platform/egress/address-policy.ts'
import { parseJsonBody } from '../../platform/http/json-body.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse, NoContent } from '../../platform/http/route.ts'
import { toClientNetwork } from '../client-network.ts'
import { defineRoute, type Route } from '../route.ts'

const beaconExample = {
  key: 'site_0123456789abcdef01234567',
  id: '1787450139-2781893-3127890',
  path: '/docs/install',
}

const Beacon = Type.Object(
  {
    key: Type.String({ maxLength: 100, description: 'Site key of the project.' }),
    id: Type.String({
      pattern: '^[\\w-]{1,100}$',
      description:
        'Random ID of the page view. A view that is sent again with the same ID within half an hour is counted once.',
    }),
    path: Type.String({ description: 'Path of the page, as in `location.pathname`.' }),
  },
  {
    additionalProperties: false,
    examples: [beaconExample],
  },
)

const compiled = Compile(Beacon)

function readBeacon(bytes: Buffer): Static<typeof Beacon> {
  const beacon = parseJsonBody(bytes)
  if (compiled.Check(beacon)) return beacon
  throw new Problem(
    'invalid_request',
    'Send `{"key":"site_…","id":"…","path":"/…"}`, as text/plain or application/json.',
  )
}

/** Longer than the user agents of real browsers. Anyone can send made-up ones, and they are stored like any other. */
const maxUserAgentCharacters = 400

const Header = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }))

export function collectViewRoute({
  viewBuffer,
  sourceActivity,
  siteCache,
  clientDetector,
  beaconLimiter,
}: {
  viewBuffer: PostgresViewBuffer
  sourceActivity: SourceActivityRecorder
  siteCache: AnalyticsSiteCache
  clientDetector: ClientDetector
  beaconLimiter: BeaconLimiter
}): Route {
  const classifyAddress = createAddressClassifier([], () => [])
  return defineRoute({
    method: 'POST',
    url: '/v1/collect',
    access: 'public',
    allowsCrossOrigin: true,
    name: 'collectView',
    tag: 'Page views',
    summary: 'Collect a page view from a browser',
    description:
      'For the script `/colophon.js`. It sends JSON as `text/plain`, because browsers then need no preflight request. The ' +
      'response is 204 whether the view is counted or dropped, so that a page cannot find out which.',
    schemas: {
      headers: Type.Object({
        origin: Header(
          'Origin of the page. If the project has `allowedOrigins`, it must be one of them.',
          'https://docs.example.com',
        ),
        dnt: Header('`1` if Do Not Track is on. The view is then dropped if the project respects it.', '1'),
        'sec-gpc': Header(
          '`1` if Global Privacy Control is on. The view is then dropped if the project respects it.',
          '1',
        ),
      }),
      body: Beacon,
      responses: { 204: NoContent },
    },
    largeBody: {
      maxBytes: 16 * 1024,
      allowGzip: false,
      parsers: { 'application/json': readBeacon, 'text/plain': readBeacon },
      textExamples: { 'text/plain': JSON.stringify(beaconExample) },
    },
    quiet: true,
    problems: ['insufficient_scope', 'not_found'],
    async handle({ body: { key, id, path }, headers, http }) {
      const site = await siteCache.findBySiteKey(key)
      if (!site) throw new Problem('not_found', 'The site key does not exist or was revoked.')
      const { projectId, settings } = site
      const record = (activity: Partial<IngestOutcome>) =>
        sourceActivity.record({ projectId, source: 'script', counted: 0, dropped: {}, examples: [], ...activity })
      if (!isAllowedOrigin(settings, headers.origin)) {
        record({ dropped: { origin_not_allowed: 1 } })
        throw originNotAllowed()
      }
      if (settings.respectDoNotTrack && (headers.dnt === '1' || headers['sec-gpc'] === '1')) {
        record({ dropped: { opted_out: 1 } })
        return createResponse(204, undefined)
      }

      // An internal address is that of a reverse proxy that the instance does not know, and so of all clients together.
      const isClientKnown = isIP(http.ipAddress) !== 0 && classifyAddress(http.ipAddress) === 'public'
      const limit = beaconLimiter.findDropReason(projectId, isClientKnown ? toClientNetwork(http.ipAddress) : undefined)
      if (limit) {
        record({ dropped: { [limit]: 1 } })
        return createResponse(204, undefined)
      }

      const { 'user-agent': userAgentHeader = '' } = headers as { 'user-agent'?: string }
      const userAgent = userAgentHeader.slice(0, maxUserAgentCharacters)
      const request = { path, userAgent, method: 'GET', status: 200, accept: '', prefetch: false, at: new Date() }
      const { views, dropped, examples } = classifyRequests([request], { site, clientDetector, source: 'script' })
      if (views.length > 0) {
        const countsHumans = settings.humanSource === 'script'
        const deliveryId = { text: `script ${id}`, retention: 'half_hour' } as const
        const delivery = { projectId, source: 'script', countsHumans, deliveryId, views } as const
        if ((await viewBuffer.append(delivery)) === 'repeated') return createResponse(204, undefined)
        beaconLimiter.recordCounted(projectId)
      }
      record({ counted: views.length, dropped, examples })
      return createResponse(204, undefined)
    },
  })
}

/** This keeps out the pages of other sites, but not forgers: a client that is not a browser can send any origin. */
const isAllowedOrigin = ({ allowedOrigins }: AnalyticsSettings, origin: string | undefined): boolean =>
  allowedOrigins.length === 0 || (origin !== undefined && allowedOrigins.includes(origin))

const originNotAllowed = () =>
  new Problem(
    'insufficient_scope',
    'The site key does not allow the origin of this page. Add it to `allowedOrigins` of the project.',
  )
