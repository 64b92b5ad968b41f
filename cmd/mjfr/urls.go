package main

// aboutURLs is the help about recordings on servers and in buckets.
const aboutURLs = `FILE can be a URL:

  https://HOST/PATH          also http://, and with a signed query
  s3://BUCKET/KEY            Amazon S3 and compatible servers
  gs://BUCKET/KEY            Google Cloud Storage
  azblob://CONTAINER/BLOB    Azure Blob Storage

In keys, * ? and [ make a pattern, as in 's3://bucket/day/*.jfr'; * does not match a /. A name
that ends in / means the recordings directly below it, and in mjfr batch all below it.

Only the needed parts are fetched: chunk headers first, then the chunks that the verb and
--from and --to ask for. With --to, later chunks are not fetched; long events that began before
and ended in them are left out, and a message says so. Small chunks, packed recordings and
servers without byte ranges are fetched completely.

Fetched data goes to a temporary file that is removed at the end. Open recordings together take
up to --cache-limit (4 GB); a tenth of the disk stays free. Download a recording that you read
several times.

Failed requests are repeated. An object that changes while it is read is an error. mjfr sends
requests only to the servers you name and those they redirect to, and to where credentials come
from:

  s3      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; or the file of
          AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials, with AWS_PROFILE; or the role of
          the container or machine, unless AWS_EC2_METADATA_DISABLED=true. AWS_REGION sets the
          region, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL another server
  gs      application default credentials: GOOGLE_APPLICATION_CREDENTIALS, gcloud's, or the
          machine's. STORAGE_EMULATOR_HOST sets another server
  azblob  AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or
          AZURE_STORAGE_CONNECTION_STRING

Without credentials, requests are anonymous, as for public buckets. Messages never show the query
of a URL: it may be a signature.
`
