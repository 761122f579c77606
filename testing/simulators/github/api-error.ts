/** Responses of the API, and errors that become responses. */

export interface ApiResponse {
  status: number
  /** Undefined for a response without a body. */
  body?: unknown
  headers?: Record<string, string>
}

/** An error response. */
export class ApiError extends Error {
  readonly response: ApiResponse

  constructor(status: number, message: string, options: { errors?: unknown[]; headers?: Record<string, string> } = {}) {
    super(message)
    const { errors, headers } = options
    const body = { message, ...(errors && { errors }), documentation_url: 'https://docs.github.com/rest' }
    // GitHub repeats the status in the body, except next to a list of errors.
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
