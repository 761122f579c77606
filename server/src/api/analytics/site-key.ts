import Type, { type Static } from 'typebox'
import type { SiteKey } from '../../analytics/settings/settings-store.ts'
import { DateTime } from '../schemas.ts'

export const SiteKeySchema = Type.Object(
  {
    key: Type.String({ description: 'Public: it stands in the pages of the site, and lets views in and nothing out.' }),
    createdAt: DateTime('When the site key was made.'),
  },
  { $id: 'SiteKey' },
)

export const toResponse = ({ key, createdAt }: SiteKey): Static<typeof SiteKeySchema> => ({
  key,
  createdAt: createdAt.toISOString(),
})
