/** Answers, and those that are no success. */

export interface Answer {
  status: number
  /** Undefined: none. */
  body?: unknown
  headers?: Record<string, string>
}

/** An answer that is no success. */
export class ApiError extends Error {
  readonly response: Answer

  constructor(status: number, message: string, more: { errors?: unknown[]; headers?: Record<string, string> } = {}) {
    super(message)
    const { errors, headers } = more
    const body = { message, ...(errors && { errors }), documentation_url: 'https://docs.github.com/rest' }
    // GitHub says the status in the body too, except beside a list of errors.
    this.response = { status, body: errors ? body : { ...body, status: String(status) }, ...(headers && { headers }) }
  }
}

export const notFound = (): ApiError => new ApiError(404, 'Not Found')

export interface FieldError {
  resource: string
  code: string
  field?: string
  message?: string
  value?: unknown
}

export const validationFailed = (...errors: FieldError[]): ApiError =>
  new ApiError(422, 'Validation Failed', { errors })
