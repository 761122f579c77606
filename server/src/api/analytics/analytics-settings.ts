import Type from 'typebox'

/** In the format of the `Origin` header: no path, no default port, names beyond ASCII as punycode. */
const SiteOrigin = Type.String({
  maxLength: 300,
  pattern: '^https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$',
})

const settings = {
  humanSource: Type.Enum(['script', 'servers'], {
    description:
      'Source that counts human traffic: the `script` in the browser, or `servers` and their logs. All other traffic is counted by servers. The default is `servers`. Creating the first site key switches it to `script`, unless you have set it yourself.',
  }),
  respectDoNotTrack: Type.Boolean({
    description: 'Whether the script does not count browsers that send Do Not Track or Global Privacy Control.',
  }),
  allowedOrigins: Type.Array(SiteOrigin, {
    maxItems: 100,
    uniqueItems: true,
    description:
      'Origins whose pages can use the script, for example `https://docs.example.com`. Empty if any page can.',
    examples: [['https://docs.example.com']],
  }),
  aiScope: Type.Enum(['all', 'assistants'], {
    description:
      'Which clients count as AI if a request does not say: `all`, or only `assistants`, which read on behalf of a user.',
  }),
  retentionMonths: Type.Union([Type.Integer({ minimum: 1, maximum: 1200 }), Type.Null()], {
    description:
      'Number of whole months for which page views are kept, in addition to the current month. Null to keep them forever.',
    examples: [25],
  }),
}

export const AnalyticsSettingsSchema = Type.Object(settings, {
  $id: 'AnalyticsSettings',
  description: 'How the page views of a project are counted and kept.',
})

export const AnalyticsSettingsChanges = Type.Partial(Type.Object(settings), {
  additionalProperties: false,
  minProperties: 1,
  examples: [{ allowedOrigins: ['https://docs.example.com'], respectDoNotTrack: true, retentionMonths: 25 }],
})
