import Type, { type Static } from 'typebox'
import type { SiteKey } from '../../analytics/settings/analytics-settings-store.ts'
import { DateTime } from '../schemas.ts'

export const SiteKeySchema = Type.Object(
  {
    key: Type.String({
      description: 'The key in the script tag. It is public: it can submit human page views and read nothing.',
      examples: ['site_0123456789abcdef01234567'],
    }),
    createdAt: DateTime('Time at which the site key was created.'),
  },
  { $id: 'SiteKey', description: 'A public key that identifies your site to the script.' },
)

export const toSiteKeyResponse = ({ key, createdAt }: SiteKey): Static<typeof SiteKeySchema> => ({
  key,
  createdAt: createdAt.toISOString(),
})
