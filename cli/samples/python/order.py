"""A prescription arrives in the sandbox, you order it, and the pharmacy delivers it."""

from pharmacy import Pharmacy
from settings import settings

pharmacy = Pharmacy(
    settings["PESTLE_BASE_URL"], settings["PESTLE_AUTH_URL"], settings["CLIENT_ID"], settings["CLIENT_SECRET"]
)


def simulate(kind, simulation):
    return pharmacy.post("/simulate", {"simulation_type": kind, "simulation": simulation})


# In production a prescriber sends it, and RX_RECEIVED tells you.
prescription = simulate("prescription", {"drug_name": "atorvastatin"})
method = pharmacy.get("/shipping_methods")["shipping_methods"][0]

order = pharmacy.post(
    "/orders",
    {
        "reference": f"sample-{prescription['prescription_id']}",
        "shipping": {"method_id": method["id"]},
        "patient": {"patient_id": prescription["patient_id"]},
        "items": [{"prescription_id": prescription["prescription_id"]}],
    },
)
print("ordered", order["order_number"], order["order_status"])

# Plays everything that the pharmacy and the carrier would do.
moved = simulate("order", {"order_number": order["order_number"], "to": "Delivered"})
print("now", order["order_number"], moved["order_status"])
