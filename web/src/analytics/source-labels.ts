/** Labels for the sources of views, and for drop reasons with what to do about them. */
import type { ViewSources } from '@colophon/sdk'

export type ViewSourceName = ViewSources['sources'][number]['source']
export type DropReason = ViewSources['dropped'][number]['reason']

export const sourceLabels: Record<ViewSourceName, { name: string; description: string }> = {
  script: { name: 'Script', description: 'Human views, in browsers that run scripts.' },
  servers: { name: 'Servers', description: 'All requests, including those of AI clients.' },
  logs: { name: 'Log import', description: 'All requests in access logs, including past ones.' },
}

export const dropReasonLabels: Record<DropReason, { label: string; advice: string }> = {
  not_get: { label: 'Not a GET request', advice: 'No action needed. Only GET requests are counted.' },
  not_successful: {
    label: 'Not successful',
    advice: 'The status was neither 200 nor 304. If there are many, check for broken links.',
  },
  prefetch: {
    label: 'Prefetched',
    advice: 'No action needed. The browser fetched the page in advance and may never have shown it.',
  },
  invalid_path: { label: 'Invalid path', advice: 'Send the path of the request. It must start with a slash.' },
  path_too_long: {
    label: 'Path too long',
    advice: 'The path has more than 1,024 characters. Such requests mostly come from vulnerability scanners.',
  },
  not_a_page: { label: 'Not a page', advice: 'No action needed. Images, style sheets and scripts are not counted.' },
  counted_elsewhere: {
    label: 'Counted by another source',
    advice:
      'No action needed. Human views are counted either by the script or by servers, as set in Settings → Page views.',
  },
  too_old: { label: 'More than 13 months old', advice: 'Import older views from logs.' },
  opted_out: {
    label: 'Opted out',
    advice: 'The browser sends Do Not Track or Global Privacy Control. You can change this in Settings → Page views.',
  },
  rate_limited: {
    label: 'Too many per second',
    advice:
      'One network, or the site as a whole, sent more page views per second than the instance accepts. If they are real, ask an operator to raise the limit.',
  },
  daily_limit: {
    label: 'Too many per day',
    advice: 'The project has reached its limit of page views for today. Ask an operator to raise it.',
  },
  origin_not_allowed: {
    label: 'Origin not allowed',
    advice: 'If the site is yours, add its origin to the allowed origins in Settings → Page views.',
  },
}
