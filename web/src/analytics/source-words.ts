/** Sources of views and reasons for which events are dropped, in words, and what to do about them. */
import type { ViewSources } from '@colophon/sdk'

export type SourceName = ViewSources['sources'][number]['source']
export type LeftOutReason = ViewSources['dropped'][number]['reason']

export const sourceWords: Record<SourceName, { name: string; sees: string }> = {
  script: { name: 'Script', sees: 'People, in browsers that run it.' },
  servers: { name: 'Servers', sees: 'Everybody who asks for a page, so also every AI.' },
  logs: { name: 'Log import', sees: 'What your server wrote down, also of the past.' },
}

export const reasonWords: Record<LeftOutReason, { what: string; todo: string }> = {
  not_get: { what: 'Not a GET request', todo: 'Nothing: only reading is counted.' },
  not_successful: {
    what: 'The page was not there',
    todo: 'Another status than 200 or 304. If there are many, look for broken links.',
  },
  prefetch: { what: 'Fetched in advance', todo: 'Nothing: perhaps nobody ever looked.' },
  invalid_path: { what: 'Not a path', todo: 'Send the path of the request; it begins with a slash.' },
  path_too_long: { what: 'The path is too long', todo: 'More than 1,024 characters: mostly bots that try doors.' },
  not_a_page: { what: 'A file, not a page', todo: 'Nothing: images, styles and scripts are no pages.' },
  counted_elsewhere: {
    what: 'Counted by the other source',
    todo: 'Nothing: people are counted by the script or by servers, never by both. Settings say by which.',
  },
  too_old: { what: 'More than 13 months old', todo: 'Import it from logs, which may be of any age.' },
  opted_out: {
    what: 'The reader asks not to be counted',
    todo: 'Do Not Track or Global Privacy Control. Settings say whether that is obeyed.',
  },
  origin_not_allowed: {
    what: 'From a page of another site',
    todo: 'If it is yours, add its address to the site origins in the settings.',
  },
}
