/** What to enter where, so that a host or CDN sends its logs. */
import type { LogDrain } from '@colophon/sdk'

type LogFormat = LogDrain['format']

export interface LogDrainHost {
  label: string
  /** Where the secret goes. */
  secretIn: 'bearer header' | 'password' | 'url' | 'signature' | 'access key'
  /** What proves to the host that the URL belongs to the owner of the drain. */
  verification?: { label: string; description: string }
  /** Without hosts, all lines count. */
  hasHosts: boolean
  steps: readonly string[]
}

const bearerHeader = 'Add the header Authorization, with “Bearer”, a space and the secret as its value.'

export const fastlyLogFormat =
  '{"at":%{time.start.sec}V,"method":"%m","host":"%{json.escape(req.http.host)}V","path":"%{json.escape(req.url)}V",' +
  '"status":%>s,"userAgent":"%{json.escape(req.http.User-Agent)}V","accept":"%{json.escape(req.http.Accept)}V",' +
  '"secPurpose":"%{json.escape(req.http.Sec-Purpose)}V","id":"%{uuid.version4()}V"}'

export const logDrainHosts: Partial<Record<LogFormat, LogDrainHost>> = {
  vercel: {
    label: 'Vercel',
    secretIn: 'signature',
    verification: { label: 'Value of x-vercel-verify', description: 'Vercel shows it when you add the URL.' },
    hasHosts: true,
    steps: [
      'In the team settings, open Drains and add a drain for logs with a custom endpoint. This needs a Pro or Enterprise plan.',
      'Sources: static, edge and lambda. Environment: production. Sampling: 100%. Format: JSON or NDJSON.',
      'Enter the URL, and the secret as a custom signature secret.',
      'If Vercel shows a value for x-vercel-verify, enter it below and then let Vercel test the URL.',
      'If your site uses the App Router of Next.js, count humans with the script: logs do not show which pages were fetched in advance.',
    ],
  },
  netlify: {
    label: 'Netlify',
    secretIn: 'url',
    hasHosts: true,
    steps: [
      'In the project, open Logs → Log drains and add one for a general HTTP endpoint. This needs an Enterprise plan.',
      'Log type: traffic. Format: NDJSON or JSON. Do not exclude personal data: without user agents, no client is recognized.',
      'Enter the URL with the secret as its token.',
    ],
  },
  cloudflare: {
    label: 'Cloudflare Logpush',
    secretIn: 'bearer header',
    hasHosts: true,
    steps: [
      'In the zone, open Analytics & Logs → Logpush and add a job for the data set HTTP requests with an HTTP destination.',
      'Fields: ClientRequestHost, ClientRequestMethod, ClientRequestSource, ClientRequestURI, ClientRequestUserAgent, EdgeResponseStatus, EdgeStartTimestamp, RayID. Add the request header accept as a custom field, so that requests for Markdown are recognized.',
      'Set max_upload_bytes to 5,000,000, and do not use sampling.',
      bearerHeader,
    ],
  },
  fastly: {
    label: 'Fastly',
    secretIn: 'bearer header',
    verification: { label: 'Service ID', description: 'Fastly asks Colophon which services may send logs.' },
    hasHosts: true,
    steps: [
      'Enter the ID of your service below.',
      'In the service, add a logging endpoint of the type HTTPS, with the log format below.',
      'Maximum number of logs: 10,000. Maximum bytes: 5,000,000. Compression: gzip or none.',
      'With shielding, attach the condition fastly.ff.visits_this_service == 0. Otherwise requests are logged twice.',
      bearerHeader,
    ],
  },
  cloudfront: {
    label: 'Amazon CloudFront',
    secretIn: 'access key',
    hasHosts: true,
    steps: [
      'Create a stream of Amazon Data Firehose with an HTTP endpoint as its destination, a buffer of at most 4 MiB and a backup bucket. Its access key is the secret.',
      'In the distribution, add standard logging (v2) with the stream as its destination, as JSON, with the fields x-edge-request-id and x-host-header.',
    ],
  },
  'google-cloud': {
    label: 'Google Cloud',
    secretIn: 'url',
    hasHosts: true,
    steps: [
      'Enable logging for the backend service of the load balancer, with a sample rate of 1.',
      'Create a sink of Cloud Logging with the filter resource.type="http_load_balancer" to a Pub/Sub topic.',
      'Add a push subscription to the topic, with the URL and a message retention of one day.',
    ],
  },
  akamai: {
    label: 'Akamai DataStream 2',
    secretIn: 'password',
    hasHosts: true,
    steps: [
      'Create a stream with a custom HTTPS endpoint, JSON, gzip, and basic authentication. Any user name works.',
      'Data sets: reqTimeSec, reqId, reqMethod, reqHost, reqPath, queryStr, statusCode, UA and isMidgress.',
    ],
  },
  azure: {
    label: 'Azure Front Door',
    secretIn: 'bearer header',
    hasHosts: true,
    steps: [
      'Azure does not send logs to a URL: add a diagnostic setting that sends the category FrontDoorAccessLog to an event hub.',
      'Forward the records of the event hub unchanged, for example with an Azure function.',
      bearerHeader,
    ],
  },
  json: {
    label: 'Custom JSON, with Vector or Fluent Bit',
    secretIn: 'bearer header',
    hasHosts: true,
    steps: [
      'Write one JSON object per request, with the names from the documentation of log formats.',
      'Send the lines with an HTTP output. For Fluent Bit, set Format to json_lines.',
      bearerHeader,
    ],
  },
  caddy: {
    label: 'Caddy, with Vector or Fluent Bit',
    secretIn: 'bearer header',
    hasHosts: true,
    steps: [
      'Send the lines of the access log with an HTTP output. For Fluent Bit, set Format to json_lines.',
      bearerHeader,
    ],
  },
  traefik: {
    label: 'Traefik, with Vector or Fluent Bit',
    secretIn: 'bearer header',
    hasHosts: true,
    steps: [
      'Configure Traefik to write JSON and to keep the headers User-Agent and Accept.',
      'Send the lines of the access log with an HTTP output. For Fluent Bit, set Format to json_lines.',
      bearerHeader,
    ],
  },
  nginx: {
    label: 'nginx or Apache, with Vector or Fluent Bit',
    secretIn: 'bearer header',
    hasHosts: false,
    steps: [
      'Send the lines of the access log of your docs with an HTTP output, in the combined format. For Fluent Bit, set Format to json_lines.',
      bearerHeader,
    ],
  },
}

export const labelOf = (format: LogFormat): string => logDrainHosts[format]?.label ?? format

/** What the host needs, in the order of its form. */
export function valuesToEnter({ url, format }: LogDrain, secret: string): { label: string; value: string }[] {
  switch (logDrainHosts[format]?.secretIn) {
    case 'url':
      return [{ label: 'URL', value: `${url}?token=${secret}` }]
    case 'signature':
      return [
        { label: 'URL', value: url },
        { label: 'Signature secret', value: secret },
      ]
    case 'access key':
      return [
        { label: 'URL', value: url },
        { label: 'Access key', value: secret },
      ]
    case 'password':
      return [
        { label: 'URL', value: url },
        { label: 'Password', value: secret },
      ]
    default:
      return [
        { label: 'URL', value: url },
        { label: 'Authorization', value: `Bearer ${secret}` },
      ]
  }
}
