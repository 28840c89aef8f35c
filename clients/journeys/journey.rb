require "json"
require_relative "pestle"
require_relative "verify"

pestle = Pestle.new(client_id: ENV["CLIENT_ID"], client_secret: ENV["CLIENT_SECRET"],
                    base_url: ENV["BASE_URL"], auth_url: ENV["AUTH_URL"])
rx = pestle.simulate({ simulation_type: "prescription", simulation: { drug_name: "atorvastatin" } })
order = pestle.create_order(
  { reference: ENV["REFERENCE"], shipping: { method_id: 1 }, patient: { patient_id: rx["patient_id"] },
    items: [{ prescription_id: rx["prescription_id"] }] }
)
puts "status #{pestle.get_order(order["order_number"])["order_status"]}"
puts "pages #{pestle.list_webhook_events(query: { limit: 1 }).count { |event| event["event_id"] } > 1}"
puts "products #{pestle.list_products(query: { "sku[]" => ["atorvastatin-20"] })[0]["sku"]}"
begin
  pestle.create_order({ reference: "x" })
rescue Pestle::Error => e
  puts "refused #{e.status} #{e.codes[0] > 42000}"
end
headers = JSON.parse(ENV["HEADERS"])
body = File.binread(ENV["BODY_FILE"])
service = Webhook.verify_service(ENV["URL"], body, headers, ENV["CLIENT_SECRET"], ENV["WEBHOOK_SECRET"])
standard = Webhook.verify_standard(body, headers, ENV["SIGNING_SECRET"])
forged = Webhook.verify_standard("#{body} ", headers, ENV["SIGNING_SECRET"])
puts "verified #{JSON.generate([service, standard, forged])}"
