# Jobs of Sidekiq that fail. A death handler posts each dead job to capture, and an endpoint pushes replayed ones again.
require 'sidekiq'
require 'net/http'
require 'webrick'

Sidekiq.configure_client { |config| config.redis = { url: ENV.fetch('REDIS_URL') } }
Sidekiq.configure_server do |config|
  config.redis = { url: ENV.fetch('REDIS_URL') }
  config.average_scheduled_poll_interval = 1
  config.death_handlers << lambda do |job, _exception|
    Net::HTTP.post(URI(ENV.fetch('CAPTURE')), Sidekiq.dump_json(job), 'content-type' => 'application/json')
  end
  config.on(:startup) do
    Thread.new { serve_replays }
    ChargeJob.perform_async('A-1001', { 'amount' => 1.5 })
    ShipJob.perform_async('größer – 注文', nil)
  end
end

class ChargeJob
  include Sidekiq::Job
  sidekiq_options retry: 1, backtrace: 5
  sidekiq_retry_in { 1 }
  def perform(order, _options) = raise(ArgumentError, "payments answered 503: größer #{order}")
end

class ShipJob
  include Sidekiq::Job
  sidekiq_options retry: 0
  def perform(_order, _note) = raise('warehouse is closed')
end

# The message is the job, without what its failure added.
def serve_replays
  server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('REPLAY_PORT').to_i, AccessLog: [])
  server.mount_proc('/') { |request, _response| Sidekiq::Client.push(Sidekiq.load_json(request.body)) }
  server.start
end
