import type { View } from '../collect/view.ts'

/** A human's view of a page, unless overridden. */
export const createTestView = (view: Pick<View, 'projectId'> & Partial<View>): View => ({
  at: new Date(),
  path: '/docs/start',
  class: 'human',
  client: 'browser',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36',
  surface: 'html',
  acceptsMarkdown: false,
  ruleVersion: '1/2026-11-14',
  source: 'servers',
  importId: '',
  views: 1,
  ...view,
})
