# The errors that API Gateway itself returns, before or after the function, as problem details like all others.

locals {
  forbidden = {
    api_key    = "Send a valid API key in the header x-api-key${var.bearer_keys ? ", or as Authorization: Bearer KEY" : ""}."
    iam        = "Send a valid AWS signature, of a principal that may call execute-api:Invoke."
    authorizer = "Send a valid token in the header Authorization."
  }[var.auth]
  try_again = "Try again; if it stays, tell the operator the request_id."

  # AWS treats an unknown path as a missing token. With keys no token is ever needed, so it means 404.
  no_token = var.auth == "iam" ? {
    status = 403, title = "Forbidden", detail = "The request is not signed, or there is no such path.", hint = local.forbidden
    } : {
    status = 404, title = "Not Found", detail = "There is no such path or method.", hint = "GET /v1/openapi.json lists them."
  }

  # Seconds until a retry may succeed.
  retry_after = { THROTTLED = 1, INTEGRATION_FAILURE = 5 }

  # API Gateway cannot check the origin of a request. Its own errors hold no caller's data, so every page may read them once
  # one origin is allowed.
  shown_to_pages = length(var.cors_origins) == 0 ? {} : {
    Access-Control-Allow-Origin   = "*"
    Access-Control-Expose-Headers = "Retry-After"
  }

  problems = {
    ACCESS_DENIED = {
      status = 403, title = "Forbidden", detail = "Access is denied.", hint = local.forbidden
    }
    BAD_REQUEST_BODY = {
      status = 400, title = "Bad Request", detail = "The body cannot be read.", hint = "Send a JSON object."
    }
    BAD_REQUEST_PARAMETERS = {
      status = 400, title = "Bad Request", detail = "The parameters cannot be read.", hint = "Compare them with GET /v1/openapi.json."
    }
    EXPIRED_TOKEN = {
      status = 403, title = "Forbidden", detail = "The credentials have expired.", hint = local.forbidden
    }
    # Lambda's limit of concurrent copies of `ask` shows as this error, and so does a missing permission: the alarm on
    # errors of the API has to see both.
    INTEGRATION_FAILURE = {
      status = 503, title = "Service Unavailable", detail = "The service has as much to do as it can, or cannot be called.", hint = "Wait some seconds, and then longer each time; if it stays, tell the operator the request_id."
    }
    INTEGRATION_TIMEOUT = {
      status = 504, title = "Gateway Timeout", detail = "The service did not answer in time.", hint = "Ask by POST /v1/questions, which does not wait."
    }
    INVALID_API_KEY = {
      status = 403, title = "Forbidden", detail = "The API key is missing or not valid.", hint = local.forbidden
    }
    INVALID_SIGNATURE = {
      status = 403, title = "Forbidden", detail = "The signature is not valid.", hint = local.forbidden
    }
    MISSING_AUTHENTICATION_TOKEN = local.no_token
    QUOTA_EXCEEDED = {
      status = 429, title = "Too Many Requests", detail = "The key's quota for the day is used up.", hint = "Wait for tomorrow, or ask the operator for a higher quota."
    }
    REQUEST_TOO_LARGE = {
      status = 413, title = "Content Too Large", detail = "The request is too large.", hint = "Send a shorter question."
    }
    RESOURCE_NOT_FOUND = {
      status = 404, title = "Not Found", detail = "There is no such path or method.", hint = "GET /v1/openapi.json lists them."
    }
    THROTTLED = {
      status = 429, title = "Too Many Requests", detail = "Too many requests in too short a time.", hint = "Wait a second, and then longer each time."
    }
    UNAUTHORIZED = {
      status = 401, title = "Unauthorized", detail = "The request is not authorised.", hint = local.forbidden
    }
    UNSUPPORTED_MEDIA_TYPE = {
      status = 415, title = "Unsupported Media Type", detail = "The body has a type that is not taken.", hint = "Send application/json."
    }
    WAF_FILTERED = {
      status = 403, title = "Forbidden", detail = "The firewall refused the request.", hint = "Tell the operator the request_id."
    }
    DEFAULT_4XX = {
      status = 400, title = "Bad Request", detail = "The request cannot be served.", hint = "Compare it with GET /v1/openapi.json."
    }
    DEFAULT_5XX = {
      status = 500, title = "Internal Server Error", detail = "The service failed.", hint = local.try_again
    }
  }
  # The template for application/json serves every request, so the content type is set by itself.
  gateway_responses = {
    for kind, problem in local.problems : kind => {
      statusCode = tostring(problem.status)
      responseParameters = {
        for name, value in merge(
          { Content-Type = "application/problem+json" },
          local.security_headers,
          { for wait in [lookup(local.retry_after, kind, null)] : "Retry-After" => wait if wait != null },
          local.shown_to_pages
        ) : "gatewayresponse.header.${name}" => "'${value}'"
      }
      responseTemplates = {
        "application/json" = jsonencode(merge(problem, {
          type       = "urn:selfrag:problem:${lower(replace(problem.title, " ", "-"))}"
          request_id = "$context.requestId"
        }))
      }
    }
  }
}
