/** Checks of the two resources, field by field, against the original contract. */
type Fields = Readonly<Record<string, unknown>>

const isText = (value: unknown) => typeof value === 'string' && value.length > 0
const isDateTime = (value: unknown) =>
  isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value as string)
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isUrl = (value: unknown) => isText(value) && URL.canParse(value as string)
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
const statuses: readonly unknown[] = ['active', 'completed', 'archived', 'failed']

const jobFields: Readonly<Record<string, (job: Fields) => boolean>> = {
  id: ({ id }) => isText(id),
  status: ({ status }) => statuses.includes(status),
  'source.repository': ({ source }) => isText((source as Fields).repository),
  'source.ref': ({ source }) => isText((source as Fields).ref),
  model: ({ model }) => isText(model),
  prLink: ({ prLink }) => orNull(isUrl)(prLink),
  createdAt: ({ createdAt }) => isDateTime(createdAt),
  archivedAt: ({ archivedAt }) => orNull(isDateTime)(archivedAt),
}

const splitFields = ({ human, ai, total }: Fields) =>
  [human, ai, total].every(isCount) && (human as number) + (ai as number) === total

const viewsFields: Readonly<Record<string, (result: Fields) => boolean>> = {
  totals: ({ totals }) => splitFields(totals as Fields),
  views: ({ views }) => Array.isArray(views) && views.every((view: Fields) => isText(view.path) && splitFields(view)),
  hasMore: ({ hasMore }) => typeof hasMore === 'boolean',
}

const findInvalid = (fields: Readonly<Record<string, (body: Fields) => boolean>>, body: Fields) =>
  Object.entries(fields).flatMap(([name, isValid]) => (isValid(body) ? [] : [name]))

/** The names of the fields that are missing or have another type. */
export const findInvalidJobFields = (body: Fields): string[] => findInvalid(jobFields, body)
export const findInvalidViewsFields = (body: Fields): string[] => findInvalid(viewsFields, body)
